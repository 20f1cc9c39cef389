// SPDX-License-Identifier: Apache-2.0
// The operators: their names, their numbers of inputs and answers, and their default output types.
#pragma once

#include <cstdint>
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

inline constexpr op all_ops[] = {
    op::sum,     op::mean,   op::norm1,   op::norm2, op::norminf,  op::sumsq,
    op::dot,     op::var,    op::stddev,  op::min,   op::max,      op::argmin,
    op::argmax,  op::minmax, op::any,     op::all,   op::count,    op::count_nonzero,
    op::bit_and, op::bit_or, op::bit_xor, op::prod,  op::logsumexp};

/// The name of an operator on the command line and in Python.
constexpr std::string_view name(op op) noexcept {
  constexpr std::string_view names[] = {
      "sum",   "mean",          "norm1",   "norm2",  "norminf", "sumsq",  "dot",      "var",
      "std",   "min",           "max",     "argmin", "argmax",  "minmax", "any",      "all",
      "count", "count_nonzero", "bit_and", "bit_or", "bit_xor", "prod",   "logsumexp"};
  return names[static_cast<unsigned>(op)];
}

/// The operator of a command-line name, if there is one.
ONEFOLD_API std::optional<op> parse_op(std::string_view text) noexcept;

/// The number of views that an operator reads, and of answers for each output element.
constexpr int inputs_of(op op) noexcept {
  return op == op::dot ? 2 : 1;
}
constexpr int answers_of(op op) noexcept {
  return op == op::minmax ? 2 : 1;
}

/// NumPy's type of the answer, used if none is requested. Sums of integers widen to 64 bits, means
/// of integers are f64, extrema and bit operators keep the type, positions and counts are i64.
constexpr dtype default_output(op op, dtype input) noexcept {
  const dtype widened = is_floating(input) ? input : is_unsigned(input) ? dtype::u64 : dtype::i64;
  switch (op) {
  case op::mean:
  case op::norm2:
  case op::var:
  case op::stddev:
  case op::logsumexp:
    return is_floating(input) ? input : dtype::f64;
  case op::min:
  case op::max:
  case op::minmax:
  case op::bit_and:
  case op::bit_or:
  case op::bit_xor:
    return input;
  case op::argmin:
  case op::argmax:
  case op::count:
  case op::count_nonzero:
    return dtype::i64;
  case op::any:
  case op::all:
    return dtype::boolean;
  default:
    return widened;
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
