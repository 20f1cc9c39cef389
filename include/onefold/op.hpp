// SPDX-License-Identifier: Apache-2.0
// The table of operators: names, accumulators, default output types and whatever else is data.
//
// A new operator is an enumerator and a row here; what it needs besides is in docs/architecture.md,
// "Growth rule".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

namespace onefold {

enum class op : unsigned char {
  sum,
  mean,
  norm1,    ///< sum of magnitudes
  norm2,    ///< root of the sum of squares
  norminf,  ///< largest magnitude
  sumsq,    ///< sum of squares
  dot,      ///< sum of products of two views
  var,
  stddev,
  min,
  max,
  argmin,  ///< the first logical index of the minimum
  argmax,
  minmax,  ///< two answers: the minimum, the maximum
  any,
  all,
  count,
  count_nonzero,
  bit_and,
  bit_or,
  bit_xor,
  prod,
  logsumexp,  ///< log of the sum of exponentials
};

/// What a state accumulates. Operators of one accumulator share a state and one pass over the data.
enum class accumulator : unsigned char {
  total,       ///< the elements
  magnitudes,  ///< their magnitudes
  squares,     ///< their squares
  products,    ///< the products of the elements of two views
  moments,     ///< elements and squares; also serve total and squares, requested together with them
  extrema,     ///< the least and the largest element, and their positions
  counts,      ///< how many elements there are, how many are zero, how many are NaN
  bits,        ///< their and, or and xor
  product,     ///< the product of all elements
  exponentials,  ///< the sum of exponentials
};

namespace detail {

/// Properties of an accumulator.
enum accumulator_trait : unsigned {
  has_fast_states = 1,  ///< next to the exact ones; they count no NaNs and merge in order
  merges_in_order = 2,  ///< a state merges with that of the elements that directly follow its own
};

struct accumulator_row {
  onefold::accumulator accumulator;
  unsigned traits;
};

/// The table of accumulators, in the order of the enumerators.
inline constexpr accumulator_row accumulator_rows[] = {
    {accumulator::total, has_fast_states},
    {accumulator::magnitudes, has_fast_states},
    {accumulator::squares, has_fast_states},
    {accumulator::products, has_fast_states},
    {accumulator::moments, has_fast_states},
    {accumulator::extrema, 0},
    {accumulator::counts, 0},
    {accumulator::bits, 0},
    {accumulator::product, merges_in_order},
    {accumulator::exponentials, 0},
};

constexpr bool has_trait(accumulator accumulator, accumulator_trait trait) noexcept {
  return (accumulator_rows[static_cast<unsigned>(accumulator)].traits & trait) != 0;
}

/// The rules for the default type of an answer.
enum class answer_kind : unsigned char {
  widened,   ///< floats keep their type, integers widen to 64 bits
  floating,  ///< floats keep their type, integers give f64
  element,   ///< the type of the elements
  index,     ///< i64: positions and counts
  boolean,
};

/// Further properties of an operator.
enum op_trait : unsigned {
  is_one_sum = 1,         ///< the answer is the sum that the accumulator holds
  takes_initial = 2,      ///< an initial value is possible
  has_position = 4,       ///< the answer is a logical index
  has_correction = 8,     ///< options::correction matters
  has_two_answers = 16,   ///< side by side
  only_of_integers = 32,  ///< floating elements are refused
  reads_decimals = 64,    ///< decimal text is reduced without rounding its numbers to f64 first
};

struct op_row {
  onefold::op op;
  std::string_view name;
  onefold::accumulator accumulator;
  answer_kind answer;
  unsigned traits;
  std::string_view meaning;
};

/// The table of operators: all that is data about them, in the order of the enumerators.
// clang-format off
inline constexpr op_row op_rows[] = {
  {op::sum, "sum", accumulator::total, answer_kind::widened,
   is_one_sum | takes_initial | reads_decimals, "the sum"},
  {op::mean, "mean", accumulator::total, answer_kind::floating,
   reads_decimals, "the sum divided by the number of elements"},
  {op::norm1, "norm1", accumulator::magnitudes, answer_kind::widened,
   is_one_sum, "the sum of magnitudes"},
  {op::norm2, "norm2", accumulator::squares, answer_kind::floating,
   0, "the square root of the sum of squares"},
  {op::norminf, "norminf", accumulator::extrema, answer_kind::widened,
   takes_initial, "the largest magnitude"},
  {op::sumsq, "sumsq", accumulator::squares, answer_kind::widened,
   is_one_sum, "the sum of squares"},
  {op::dot, "dot", accumulator::products, answer_kind::widened,
   is_one_sum, "the sum of products of two inputs"},
  {op::var, "var", accumulator::moments, answer_kind::floating,
   has_correction, "the variance; divides by the number of elements less --correction"},
  {op::stddev, "std", accumulator::moments, answer_kind::floating,
   has_correction, "the standard deviation, the square root of the variance"},
  {op::min, "min", accumulator::extrema, answer_kind::element,
   takes_initial | reads_decimals, "the least element"},
  {op::max, "max", accumulator::extrema, answer_kind::element,
   takes_initial | reads_decimals, "the largest element"},
  {op::argmin, "argmin", accumulator::extrema, answer_kind::index,
   has_position, "the index of the first least element, rows first, from --first-index on"},
  {op::argmax, "argmax", accumulator::extrema, answer_kind::index,
   has_position, "the index of the first largest element, rows first, from --first-index on"},
  {op::minmax, "minmax", accumulator::extrema, answer_kind::element,
   takes_initial | has_two_answers | reads_decimals,
   "two answers: the least element and the largest"},
  {op::any, "any", accumulator::counts, answer_kind::boolean,
   0, "1 if any element is not zero, else 0"},
  {op::all, "all", accumulator::counts, answer_kind::boolean,
   0, "1 if no element is zero, else 0"},
  {op::count, "count", accumulator::counts, answer_kind::index,
   reads_decimals, "the number of elements"},
  {op::count_nonzero, "count_nonzero", accumulator::counts, answer_kind::index,
   0, "the number of elements that are not zero"},
  {op::bit_and, "bit_and", accumulator::bits, answer_kind::element,
   only_of_integers, "the bits that all elements have (integers)"},
  {op::bit_or, "bit_or", accumulator::bits, answer_kind::element,
   only_of_integers, "the bits that any element has (integers)"},
  {op::bit_xor, "bit_xor", accumulator::bits, answer_kind::element,
   only_of_integers, "the bits that an odd number of elements has (integers)"},
  {op::prod, "prod", accumulator::product, answer_kind::widened,
   takes_initial, "the product"},
  {op::logsumexp, "logsumexp", accumulator::exponentials, answer_kind::floating,
   0, "the logarithm of the sum of exponentials"},
};
// clang-format on

constexpr const op_row& row_of(op op) noexcept {
  return op_rows[static_cast<unsigned>(op)];
}
constexpr bool has_trait(op op, op_trait trait) noexcept {
  return (row_of(op).traits & trait) != 0;
}

}  // namespace detail

inline constexpr auto all_ops = [] {
  std::array<op, std::size(detail::op_rows)> ops{};
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i] = detail::op_rows[i].op;
  return ops;
}();
static_assert(
    [] {
      for (std::size_t i = 0; i < all_ops.size(); ++i)
        if (static_cast<std::size_t>(all_ops[i]) != i) return false;
      for (std::size_t i = 0; i < std::size(detail::accumulator_rows); ++i)
        if (static_cast<std::size_t>(detail::accumulator_rows[i].accumulator) != i) return false;
      for (const detail::op_row& row : detail::op_rows)
        if (static_cast<std::size_t>(row.accumulator) >= std::size(detail::accumulator_rows))
          return false;
      return true;
    }(),
    "The rows have the order of the enumerators, and no operator's accumulator is without one.");

/// The name of an operator on the command line and in Python.
constexpr std::string_view name(op op) noexcept {
  return detail::row_of(op).name;
}

/// The meaning of an operator, for `onefold help`.
constexpr std::string_view meaning_of(op op) noexcept {
  return detail::row_of(op).meaning;
}

/// The operator of a command-line name, if there is one.
ONEFOLD_API std::optional<op> parse_op(std::string_view text) noexcept;

constexpr accumulator accumulator_of(op op) noexcept {
  return detail::row_of(op).accumulator;
}

/// The number of views that an operator reads, and of answers for each output element.
constexpr int inputs_of(op op) noexcept {
  return accumulator_of(op) == accumulator::products ? 2 : 1;
}
constexpr int answers_of(op op) noexcept {
  return detail::has_trait(op, detail::has_two_answers) ? 2 : 1;
}

/// Whether the answer is the logical index of an element.
constexpr bool is_position(op op) noexcept {
  return detail::has_trait(op, detail::has_position);
}

/// NumPy's type of the answer, used if none is requested. Sums of integers widen to 64 bits, means
/// of integers are f64, extrema and bit operators keep the type, positions and counts are i64.
constexpr dtype default_output(op op, dtype input) noexcept {
  using detail::answer_kind;
  switch (detail::row_of(op).answer) {
  case answer_kind::widened:
    if (is_floating(input)) return input;
    return is_unsigned(input) ? dtype::u64 : dtype::i64;
  case answer_kind::floating:
    return is_floating(input) ? input : dtype::f64;
  case answer_kind::index:
    return dtype::i64;
  case answer_kind::boolean:
    return dtype::boolean;
  default:
    return input;
  }
}

namespace detail {
template <dtype>
struct type_of_t;
// clang-format off
template <> struct type_of_t<dtype::boolean> { using type = bool; };
template <> struct type_of_t<dtype::i8> { using type = std::int8_t; };
template <> struct type_of_t<dtype::i16> { using type = std::int16_t; };
template <> struct type_of_t<dtype::i32> { using type = std::int32_t; };
template <> struct type_of_t<dtype::i64> { using type = std::int64_t; };
template <> struct type_of_t<dtype::u8> { using type = std::uint8_t; };
template <> struct type_of_t<dtype::u16> { using type = std::uint16_t; };
template <> struct type_of_t<dtype::u32> { using type = std::uint32_t; };
template <> struct type_of_t<dtype::u64> { using type = std::uint64_t; };
template <> struct type_of_t<dtype::f16> { using type = f16; };
template <> struct type_of_t<dtype::bf16> { using type = bf16; };
template <> struct type_of_t<dtype::f32> { using type = float; };
template <> struct type_of_t<dtype::f64> { using type = double; };
// clang-format on
}  // namespace detail

/// The C++ type of the default answer of an operator over elements of type T.
template <op Op, element T>
using answer_type = typename detail::type_of_t<default_output(Op, dtype_of<T>)>::type;

}  // namespace onefold
