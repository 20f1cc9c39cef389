// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extrema, counts and bits of columns, by the folds of segments and the parts of
// strided/joined_parts.cuh.

#include "cuda/kernels/segments/columns/column_folds.hpp"
#include "cuda/kernels/segments/positions.cuh"
#include "cuda/kernels/segments/segment_counts.cuh"
#include "cuda/kernels/segments/segment_extrema.cuh"
#include "cuda/kernels/segments/segments_entry.hpp"
#include "cuda/kernels/strided/joined_parts.cuh"

namespace onefold::cuda {

enum class column_fold : int { extrema, wide_extrema, positions, counts, bits };

inline column_fold column_fold_of(const segments_request& request) {
  const accumulator kind = accumulator_of(request.op);
  if (kind == accumulator::counts) return column_fold::counts;
  if (kind == accumulator::bits) return column_fold::bits;
  if (request.op == op::argmin || request.op == op::argmax) return column_fold::positions;
  return size_bytes(request.input) == 8 ? column_fold::wide_extrema : column_fold::extrema;
}

struct selected_columns_arguments {
  segment_arguments fold;  ///< what folds ask of it: the request, the output, the type
  column_fold which;
  strided_request request;  ///< of one or two reduced axes
  column_parts lanes;
  std::int64_t* partials;  ///< [Sum::parts][written][answers]
  bool joins = false;      ///< the second launch
};

/// The sum of part `part` of the answer whose first element is at x.
template <class Fold>
ONEFOLD_DEVICE typename Fold::sum sum_of_part(const Fold& fold, const column_parts& lanes,
                                              const std::byte* x, std::int64_t part) {
  typename Fold::sum sum = Fold::nothing();
  for_each_run(lanes, x, part, [&](const element_run& run) {
    typename Fold::part partial;
    fold.add_run(partial, run);
    sum.join(Fold::sum_of(partial, 0));
  });
  return sum;
}

template <class Fold>
ONEFOLD_DEVICE void take_columns(const selected_columns_arguments& a, const Fold& fold) {
  for_each_part(a, [&](std::int64_t k, std::int64_t c, std::int64_t part, bool there) {
    auto sum = sum_of_part(fold, a.lanes, first_of(a.request, k), part);
    if (a.lanes.block_joins()) join_in_block(a, sum, Fold::nothing(), c, part, there);
    if (!there) return;
    if (a.lanes.joins())
      write_part(a, sum, k, part, a.lanes.written());
    else
      fold.write_rest(sum, a.request.items, k);
  });
}

template <class Fold>
ONEFOLD_DEVICE void join_columns(const selected_columns_arguments& a, const Fold& fold) {
  join_parts<typename Fold::sum>(
      a, a.lanes.written(), [](std::int64_t) { return Fold::nothing(); },
      [](std::int64_t) { return true; },
      [&](std::int64_t k, const typename Fold::sum& sum) {
        if (lane_index() == 0) fold.write_rest(sum, a.request.items, k);
      });
}

template <class Fold>
ONEFOLD_DEVICE void select_columns(const selected_columns_arguments& a) {
  const Fold fold(a.fold);
  if (a.joins) return join_columns(a, fold);
  take_columns(a, fold);
}

/// Shape:  a request of one or two reduced axes of up to 2^30 elements, aligned to them; or, of
///         several parts, partials that a launch with `joins` reads; any grid, blocks of up to
///         strided_threads, 32 or a power of two times that, the same for both.
/// Error:  none.
/// Order:  none: the same bits in every run and grid.
static __global__ void __launch_bounds__(strided_threads, 8)
    selected_columns(ONEFOLD_KERNEL_ARGUMENT selected_columns_arguments a) {
  switch (a.which) {
  case column_fold::extrema:
    return select_columns<segment_extrema<std::int32_t>>(a);
  case column_fold::wide_extrema:
    return select_columns<segment_extrema<std::int64_t>>(a);
  case column_fold::positions:
    return select_columns<segment_positions>(a);
  case column_fold::counts:
    return select_columns<segment_counts>(a);
  default:
    return select_columns<segment_bits>(a);
  }
}

}  // namespace onefold::cuda
