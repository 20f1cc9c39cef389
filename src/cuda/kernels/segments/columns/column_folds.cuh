// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extrema, counts and bits of columns, by the folds of segments and lanes as of
// loaders/column_parts.hpp. Parts are joined by a second launch, a block an answer.

#include "cuda/accumulators/interval.cuh"
#include "cuda/kernels/segments/positions.cuh"
#include "cuda/kernels/segments/segment_counts.cuh"
#include "cuda/kernels/segments/segment_extrema.cuh"
#include "cuda/kernels/segments/segments_entry.hpp"
#include "cuda/loaders/column_parts.hpp"

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
  const void* x;
  std::int64_t outer, n, inner;
  std::int64_t parts;
  std::int64_t written;    ///< written_parts(parts, inner, blockDim.x)
  std::int64_t* partials;  ///< [Sum::parts][written][answers]
  bool joins = false;      ///< the second launch

  ONEFOLD_HOST_DEVICE std::int64_t answers() const { return outer * inner; }
};

/// Part `part` of answer k, in column c. Every thread of a block calls it.
template <class Sum>
ONEFOLD_DEVICE void write_joined(const selected_columns_arguments& a, Sum sum, std::int64_t k,
                                 std::int64_t c, std::int64_t part) {
  __shared__ std::int64_t meeting[Sum::parts * column_fold_threads];
  if (a.written != a.parts) {
    join_across_block(sum, unsigned(a.inner), meeting, read_sum<Sum>);
    if (threadIdx.x >= unsigned(a.inner)) return;
    part = unsigned(part * a.inner + c) / blockDim.x;
  }
  write_sum(sum, a.partials + (part * a.answers() + k), a.answers() * a.written);
}

/// Element (o, part, c) of all lanes is part `part` of answer (o, c).
template <class Fold>
ONEFOLD_DEVICE void take_columns(const selected_columns_arguments& a, const Fold& fold) {
  const std::int64_t all = a.answers() * a.parts, step = std::int64_t(gridDim.x) * blockDim.x;
  ONEFOLD_ROLLED
  for (std::int64_t q = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; q < all; q += step) {
    const std::int64_t line = q / a.inner, c = q - line * a.inner;
    const std::int64_t o = line / a.parts, part = line - o * a.parts, k = o * a.inner + c;
    typename Fold::part partial;
    fold.add_column(partial, a.x, o * a.n * a.inner + c, a.inner, part, a.n, a.parts);
    typename Fold::sum sum = Fold::sum_of(partial, 0);
    if (a.parts == 1)
      fold.write_rest(sum, a.n, k);
    else
      write_joined(a, sum, k, c, part);
  }
}

/// The parts of answers blockIdx.x, blockIdx.x + gridDim.x, …
template <class Fold>
ONEFOLD_DEVICE void join_columns(const selected_columns_arguments& a, const Fold& fold) {
  using sum = typename Fold::sum;
  constexpr unsigned warps = column_fold_threads / warp_lanes;
  __shared__ std::int64_t meeting[sum::parts * warps];
  const std::int64_t answers = a.answers(), parts = a.written, all = answers * parts;
  ONEFOLD_ROLLED
  for (std::int64_t k = blockIdx.x; k < answers; k += gridDim.x) {
    sum total = Fold::nothing();
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t part = threadIdx.x; part < parts; part += blockDim.x)
      total.join(read_sum<sum>(a.partials + (part * answers + k), all));
    total = join_lanes(total, blockDim.x, meeting);
    if (threadIdx.x == 0) fold.write_rest(total, a.n, k);
  }
}

template <class Fold>
ONEFOLD_DEVICE void select_columns(const selected_columns_arguments& a) {
  const Fold fold(a.fold);
  if (a.joins) return join_columns(a, fold);
  take_columns(a, fold);
}

/// Shape:  x[outer][n][inner], aligned to its elements, 0 < n <= 2^30; out[outer][inner], or, of
///         several parts, partials that a launch with `joins` reads; any grid, blocks of up to
///         column_fold_threads, a multiple of 32, the same for both.
/// Error:  none.
/// Order:  none: the same bits in every run and grid.
static __global__ void __launch_bounds__(column_fold_threads, 4)
    selected_columns(selected_columns_arguments a) {
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
