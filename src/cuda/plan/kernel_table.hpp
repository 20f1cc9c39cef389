// SPDX-License-Identifier: Apache-2.0
// The table of kernels: which family of kernels serves which operators, types, layouts and options.
//
// A kernel reads device memory; data of the host are copied there in windows. The first four
// families serve requests through the host, the others write answers asynchronously.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "cuda/plan/request.hpp"
#include "request/layout.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda {

enum class kernel_family : unsigned char {
  full,                 ///< states of whole contiguous arrays; their answers too
  ordered,              ///< states of chunks of whole contiguous arrays, merged in order
  strided,              ///< states of several answers, scattered elements and masks
  segments,             ///< answers of segments with offsets
  batched,              ///< sums of rows and columns
  row_folds,            ///< extrema, counts and bits of rows, tiles of which warps read
  column_folds,         ///< the same of columns, and of rows in pieces
  segment_rows,         ///< rows as segments of one length
  moment_columns,       ///< var, std of columns, of rows in pieces and of few long ones
  exponential_columns,  ///< logsumexp of these
  strided_answers,      ///< answers of one piece by the strided kernels, for all operators together
  gathered,             ///< elements copied to contiguous memory, and the kernels of such
};

/// What a kernel can exclude from its elements; each includes those before it.
enum class exclusion : unsigned char { nothing, nans, masked };

/// A set of enumerators below 32.
template <class Enum>
class enum_set {
 public:
  constexpr enum_set(std::initializer_list<Enum> members) {
    for (const Enum each : members) bits_ |= std::uint32_t(1) << unsigned(each);
  }
  /// Those for which has(member) holds.
  template <class Has>
  static constexpr enum_set such(std::span<const Enum> all, const Has& has) {
    enum_set made = {};
    for (const Enum each : all)
      if (has(each)) made.bits_ |= std::uint32_t(1) << unsigned(each);
    return made;
  }
  constexpr bool has(Enum one) const { return (bits_ >> unsigned(one) & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr enum_set operator|(enum_set a, const enum_set& b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  std::uint32_t bits_ = 0;
};

/// The key of the table.
struct kernel_query {
  onefold::op op = onefold::op::sum;
  onefold::accuracy accuracy = onefold::accuracy::exact;
  dtype input = dtype::f32, output = dtype::f32;
  layout_form form = layout_form::rows;
  exclusion excluded = exclusion::nothing;
};

struct kernel_row {
  kernel_family family;
  enum_set<op> ops;
  enum_set<onefold::accuracy> accuracies;
  enum_set<dtype> inputs, outputs;  ///< no output: the default type
  enum_set<layout_form> forms;
  exclusion excludes;

  constexpr bool serves(const kernel_query& query) const {
    return ops.has(query.op) && accuracies.has(query.accuracy) && inputs.has(query.input) &&
           forms.has(query.form) && query.excluded <= excludes &&
           (outputs.empty() ? query.output == default_output(query.op, query.input)
                            : outputs.has(query.output));
  }
};

namespace kernels {
using enum kernel_family;
using enum exclusion;
using ops = enum_set<op>;
using types = enum_set<dtype>;
using forms = enum_set<layout_form>;

inline constexpr ops totals = {op::sum, op::mean}, sum = {op::sum};
inline constexpr ops squares = {op::norm2, op::sumsq}, terms = totals | squares | ops{op::norm1};
inline constexpr ops sums = terms | ops{op::dot}, variances = {op::var, op::stddev};
/// Operators whose state is not rounded have a kernel as soon as their accumulator has.
constexpr ops ops_of(accumulator kind) {
  return ops::such(all_ops, [kind](op op) { return accumulator_of(op) == kind; });
}
inline constexpr ops counts = ops_of(accumulator::counts), bits = ops_of(accumulator::bits);
inline constexpr ops extrema = ops_of(accumulator::extrema), extrema_counts = extrema | counts;
inline constexpr ops prod = {op::prod}, logsumexp = {op::logsumexp};

inline constexpr types halves = {dtype::f16, dtype::bf16}, f32 = {dtype::f32}, f64 = {dtype::f64};
inline constexpr types narrow = halves | f32, floats = narrow | f64;
inline constexpr types non_negative = {dtype::boolean, dtype::u8, dtype::u16, dtype::u32};
inline constexpr types small = non_negative | types{dtype::i8, dtype::i16, dtype::i32};
inline constexpr types i64 = {dtype::i64}, u64 = {dtype::u64}, integers = small | i64 | u64;
inline constexpr types all = integers | floats, by_default = {};

inline constexpr forms whole = {layout_form::full}, rows = {layout_form::rows};
inline constexpr forms columns = {layout_form::columns};
inline constexpr forms several = rows | columns | forms{layout_form::across, layout_form::strided};
inline constexpr forms any = whole | several;

inline constexpr enum_set<accuracy> exact = {accuracy::exact}, fast = {accuracy::fast};
inline constexpr enum_set<accuracy> both = exact | fast;

/// Families that write answers are in order of preference.
inline constexpr kernel_row table[] = {
    {full, sums | variances, exact, all, all, whole, nans},
    {full, sums, fast, integers, all, whole, nothing},  // 64 bits, wrapped in any order
    {full, extrema_counts, both, all, all, whole, nans},
    {full, bits, both, integers, all, whole, nothing},
    {full, logsumexp, both, all, all, whole, nans},
    {ordered, prod, both, all, all, whole, nans},
    {strided, extrema_counts | prod | logsumexp, both, all, all, any, masked},
    {strided, sums | variances, exact, all, all, any, masked},
    {strided, sums, fast, integers, all, any, masked},
    {strided, bits, both, integers, all, any, masked},

    {segments, terms, exact, narrow, narrow, any, nothing},
    {segments, terms, exact, f64, f64, any, nothing},
    {segments, sum, both, integers, i64 | u64, any, nothing},
    {segments, totals, exact, integers, f64, any, nothing},
    {segments, extrema_counts, both, all, by_default, any, nans},
    {segments, bits, both, integers, by_default, any, nothing},

    // Of integers the outputs that hold every sum of 2^31 elements.
    {batched, terms, exact, narrow, narrow, several, nothing},
    {batched, terms, exact, f64, f64, several, nothing},
    {batched, totals, exact, integers, f64, several, nothing},
    {batched, sum, exact, small, i64, several, nothing},
    {batched, sum, exact, non_negative, u64, several, nothing},
    {batched, sum, fast, integers, i64 | u64, several, nothing},
    {row_folds, extrema, both, all, by_default, rows, nothing},
    {row_folds, counts, both, all, by_default, rows, nans},
    {row_folds, bits, both, integers, by_default, rows, nothing},
    {column_folds, extrema_counts, both, all, by_default, any, nans},
    {column_folds, bits, both, integers, by_default, any, nothing},
    {segment_rows, extrema_counts, both, all, by_default, rows, nans},
    {segment_rows, bits, both, integers, by_default, rows, nothing},
    {moment_columns, variances, exact, narrow, narrow, any, nothing},
    {exponential_columns, logsumexp, exact, floats, floats, any, nans},
    {strided_answers, totals | squares | variances, exact, floats, all, several, nans},
    {strided_answers, logsumexp, exact, floats, all, several, nans},
};
}  // namespace kernels

/// Whether the family has a kernel for the query, whatever the extents are.
constexpr bool has_kernel(kernel_family family, const kernel_query& query) {
  for (const kernel_row& row : kernels::table)
    if (row.family == family && row.serves(query)) return true;
  return false;
}

/// The first operator of an accumulator: rows of states name all of one or none.
constexpr op op_of(accumulator kind) {
  for (const op op : all_ops)
    if (accumulator_of(op) == kind) return op;
  return op::sum;
}

/// Whether the family has a kernel for the accumulator's states.
constexpr bool has_kernel(kernel_family family, accumulator kind, onefold::accuracy accuracy,
                          dtype input) {
  const op op = op_of(kind);
  return has_kernel(family, {op, accuracy, input, default_output(op, input), layout_form::full});
}

/// Whether the state of a chunk depends on the order of its elements.
constexpr bool is_ordered(accumulator kind, onefold::accuracy accuracy, dtype input) {
  return has_kernel(kernel_family::ordered, kind, accuracy, input);
}

/// What a plan excludes. Integers are no NaNs.
exclusion excluded_by(const plan& plan);

/// The first operator of a plan that the engine does not serve, with its type; empty where it
/// serves all. `family`: full, also for ordered accumulators, or strided.
std::string unserved(kernel_family family, const plan& plan);

/// One operator of a request for several answers in device memory, without a mask.
struct answer_query {
  const cuda::request& request;
  const layout& elements;
  onefold::op op;
  dtype output;
  unsigned multiprocessors;
};

/// Whether the family has a kernel for the answers, and the kernel suits the extents.
bool suits(kernel_family family, const answer_query& query);

/// The preferred family of those from batched to exponential_columns.
std::optional<kernel_family> answer_kernel(const answer_query& query);

}  // namespace onefold::cuda
