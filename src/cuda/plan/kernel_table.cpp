// SPDX-License-Identifier: Apache-2.0
// The extents that kernels of several answers suit.
#include "cuda/plan/kernel_table.hpp"

#include <algorithm>

#include "cuda/kernels/batched/batched.hpp"
#include "cuda/kernels/strided/describe.hpp"
#include "cuda/kernels/strided/moments/moment_rows.hpp"
#include "cuda/plan/reasons.hpp"
#include "runtime/accumulation.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t longest_batched = std::int64_t(1) << 31;
constexpr std::int64_t longest_column = std::int64_t(1) << 30;  // quick_moments.cuh
// Long rows of few blocks would leave multiprocessors idle.
constexpr std::int64_t longest_across_bytes = std::int64_t(64) << 10, least_rows_across = 4096;
// Elements that a warp may take alone: contiguous, with sums in registers, and otherwise, with
// limbs in shared memory, some 75 us. Where so many answers wait, a warp has one in any case.
constexpr std::int64_t longest_line = std::int64_t(1) << 14, longest_other = std::int64_t(1) << 11;
constexpr std::int64_t many_answers = 4096;
constexpr std::int64_t least_long_row = std::int64_t(1) << 13, few_rows_each = 16;
// A row is a warp's. Of 100 and 1000 rows of 64 KiB tiles take 0.82 and 0.64 of the time of
// segments, of 256 KiB 1.19 and 0.91 (H100).
constexpr std::int64_t longest_tiled_bytes = std::int64_t(1) << 16, many_tiled_rows = 1024;

bool is_batch(const plan& plan, const layout& x) {
  return x.dense && x.aligned && x.in_order && plan.items > 0 && plan.items <= longest_batched;
}

// Columns that are vectors and steps of any length apart.
bool suits_batched_columns(const plan& plan, const layout& x) {
  const loop_nest& kept = plan.kept;
  return are_columns(plan) && kept[kept.size() - 1].extent > 1 &&
         kept.size() - 1 <= column_places::most_axes && x.aligned && x.in_order &&
         plan.reduced.size() >= 1 && plan.reduced.size() <= 2 && plan.items > 0 &&
         plan.items <= longest_batched;
}

bool suits_batched(const plan& plan, const layout& x) {
  if (x.form == layout_form::columns || x.form == layout_form::strided)
    return suits_batched_columns(plan, x);
  const bool busy = x.across == 1 || x.n * x.width <= longest_across_bytes ||
                    x.across * x.outer >= least_rows_across;
  return is_batch(plan, x) && busy;
}

// Rows with gaps, and of several planes, have no other kernel.
bool suits_row_folds(const plan& plan, const layout& x) {
  const std::int64_t bytes = plan.items * x.width;
  const bool faster = bytes <= longest_tiled_bytes || plan.outputs >= many_tiled_rows;
  return x.aligned && x.in_order && plan.items > 0 && plan.items <= longest_batched &&
         (faster || !x.dense);
}

// Elements that lanes share by parts, wherever they are.
bool suits_columns(const plan& plan, const layout& x) {
  return x.aligned && x.in_order && plan.reduced.size() >= 1 && plan.reduced.size() <= 2 &&
         plan.items > 0 && plan.items <= longest_column;
}

// Rows in one piece are a warp's but where there are fewer than warps at a time.
bool suits_columns_or_rows(const answer_query& query) {
  const auto& plan = query.request.plan;
  const bool few = plan.outputs < few_rows_each * std::int64_t(query.multiprocessors);
  const bool long_rows = plan.items >= least_long_row && few;
  return suits_columns(plan, query.elements) && (!query.elements.contiguous_items || long_rows);
}

bool suits_moment_columns(const answer_query& query) {
  const double correction = query.request.options.correction;
  return suits_columns_or_rows(query) && double(query.request.plan.items) > correction &&
         correction >= 0;
}

bool suits_a_warp(const request& request, const layout& x, op op) {
  const auto& plan = request.plan;
  if (!x.in_order) return false;
  // Of f64 there are kernels of rows alone.
  if (plan.input == dtype::f64 && accumulator_of(op) == accumulator::moments &&
      !are_moment_rows(finished_nest(request, accumulator::moments),
                       std::int64_t(request.options.correction)))
    return false;
  return plan.items <= (x.contiguous_items ? longest_line : longest_other) ||
         plan.outputs >= many_answers;
}

bool suits_extents(kernel_family family, const answer_query& query) {
  const auto& plan = query.request.plan;
  const layout& x = query.elements;
  switch (family) {
  case kernel_family::batched:
    return suits_batched(plan, x);
  // The kernels of extrema, counts and bits report no status.
  case kernel_family::row_folds:
    return suits_row_folds(plan, x) &&
           !depends_on_data(query.op, plan, query.request.options, query.output);
  case kernel_family::column_folds:
    return suits_columns(plan, x) && !x.contiguous_items &&
           !depends_on_data(query.op, plan, query.request.options, query.output);
  case kernel_family::segment_rows:
    return is_batch(plan, x) &&
           !depends_on_data(query.op, plan, query.request.options, query.output);
  case kernel_family::moment_columns:
    return suits_moment_columns(query);
  case kernel_family::exponential_columns:
    return suits_columns_or_rows(query);
  case kernel_family::strided_answers:
    return suits_a_warp(query.request, x, query.op);
  default:
    return false;
  }
}

kernel_query key_of(const answer_query& query) {
  const auto& plan = query.request.plan;
  return {query.op,     plan.accuracy,       plan.input,
          query.output, query.elements.form, excluded_by(plan)};
}

}  // namespace

exclusion excluded_by(const plan& plan) {
  if (plan.masked) return exclusion::masked;
  const bool nans = is_floating(plan.input) && plan.nan_policy != nan_policy::propagate;
  return nans ? exclusion::nans : exclusion::nothing;
}

std::string unserved(kernel_family family, const plan& plan) {
  const bool whole = family == kernel_family::full;
  if (plan.mapped) return "functions of the elements";
  for (const accumulator each : accumulators_of(plan.ops, plan.accuracy)) {
    const bool ordered = whole && is_ordered(each, plan.accuracy, plan.input);
    if (has_kernel(ordered ? kernel_family::ordered : family, each, plan.accuracy, plan.input))
      continue;
    const auto found = std::find_if(plan.ops.begin(), plan.ops.end(),
                                    [&](op op) { return accumulator_of(op) == each; });
    const op op = found != plan.ops.end() ? *found : plan.ops[0];
    return std::string(name(op)) + " of " + std::string(name(plan.input)) +
           (whole ? "" : " for several answers or of scattered elements");
  }
  return {};
}

bool suits(kernel_family family, const answer_query& query) {
  return has_kernel(family, key_of(query)) && suits_extents(family, query);
}

std::optional<kernel_family> answer_kernel(const answer_query& query) {
  const kernel_query key = key_of(query);
  for (const kernel_row& row : kernels::table)
    if (row.family >= kernel_family::batched && row.family < kernel_family::strided_answers &&
        row.serves(key) && suits_extents(row.family, query))
      return row.family;
  return std::nullopt;
}

}  // namespace onefold::cuda
