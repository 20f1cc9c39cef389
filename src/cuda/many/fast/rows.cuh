// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of rows: which way they go.

#include "cuda/many/fast/chunks.cuh"
#include "cuda/many/fast/tiles.cuh"
#include "cuda/many/rows/packed.cuh"

namespace onefold::cuda {

/// Rows of a warp's step.
template <class T>
ONEFOLD_HOST_DEVICE constexpr std::int64_t fast_rows_step(const fast_rows_arguments& a) {
  if (a.rows > 0) return a.rows;
  if (a.vectors < 0)
    return std::int64_t(warp_lanes / a.group) *
           (held_loads<staged_fast_terms<accumulator::total, T>> / -a.vectors);
  const int rows = a.vectors == 0 ? 1 : fast_loads / a.vectors;
  return std::int64_t(warp_lanes / a.group) * rows;
}
/// Words of shared memory of a warp in which rows are staged.
ONEFOLD_HOST_DEVICE constexpr unsigned fast_stage_words(const fast_rows_arguments& a) {
  if (a.tile > 0) return unsigned(tile_words);
  return a.rows > 0 ? unsigned(ring_words) : 0;
}

template <accumulator Accumulator, class T>
ONEFOLD_DEVICE void take_staged(const fast_rows_arguments& a, std::int64_t* stage,
                                std::int64_t first, std::int64_t stride) {
  const rows_arguments as = {a.of, a.group, a.rows, a.aligned};
  staged_rows<staged_fast_terms<Accumulator, T>>(as, stage, stage).take(first, stride);
}

template <accumulator Accumulator, class T>
ONEFOLD_DEVICE void take_held(const fast_rows_arguments& a, std::int64_t first,
                              std::int64_t stride) {
  using terms = staged_fast_terms<Accumulator, T>;
  const rows_arguments as = {a.of, a.group, 0, true};
  const auto take = [&](const auto& rows) {
    if constexpr (terms::often_plain)
      if (is_plain<terms>(a.of.form)) return rows.template take<true>(first, stride);
    rows.template take<false>(first, stride);
  };
  if (a.vectors == -2) return take(held_rows<terms, 2, 8>(as, nullptr));
  if (a.vectors == -4) return take(held_rows<terms, 4, 8>(as, nullptr));
  if constexpr (sizeof(T) == 8) take(held_rows<terms, 8, 8>(as, nullptr));
}

template <accumulator Accumulator, class T>
ONEFOLD_DEVICE void take_tiled(const fast_rows_arguments& a, std::int64_t* stages,
                               std::int64_t first, std::int64_t stride) {
  using terms = staged_fast_terms<Accumulator, T>;
  const rows_arguments as = {a.of, a.group, a.rows, false, 0, a.tile};
  const auto take = [&](auto lane) {
    tiled_rows<terms, decltype(lane)> rows(as, lane, stages, stages);
    if constexpr (terms::often_plain)
      if (is_plain<terms>(a.of.form)) return rows.template take<true>(first, stride);
    rows.template take<false>(first, stride);
  };
  if (a.group == 8) return take(fast_tile<Accumulator, T, 8>());
  if (a.group == 16) return take(fast_tile<Accumulator, T, 16>());
  take(fast_tile<Accumulator, T, int(warp_lanes)>());
}

/// Whether answers are sums of two floats, rounded once as exact ones are.
ONEFOLD_DEVICE bool is_of_two(const fast_rows_arguments& a) {
  return a.of.n == 2 && a.rows > 0 && a.what == accumulator::total && are_vectors(a.of) &&
         is_plain<staged_fast_terms<accumulator::total, float>>(a.of.form);
}

template <class T, bool Squared>
ONEFOLD_DEVICE void take_fast_rows(const fast_rows_arguments& a, std::int64_t* stage,
                                   std::int64_t first, std::int64_t stride) {
  if (a.tile > 0) {
    if (Squared) return take_tiled<accumulator::squares, T>(a, stage, first, stride);
    if (a.what == accumulator::total)
      return take_tiled<accumulator::total, T>(a, stage, first, stride);
    return take_tiled<accumulator::magnitudes, T>(a, stage, first, stride);
  }
  if (a.vectors < 0) {
    if (Squared) return take_held<accumulator::squares, T>(a, first, stride);
    if (a.what == accumulator::total) return take_held<accumulator::total, T>(a, first, stride);
    return take_held<accumulator::magnitudes, T>(a, first, stride);
  }
  if constexpr (!Squared && std::is_same_v<T, float>)
    if (is_of_two(a)) {
      const std::int64_t warp = first / a.rows, warps = stride / a.rows;
      return packed_rows<many_terms<accumulator::total, T>, 2>(a.of, nullptr).take(warp, warps);
    }
  if (a.rows > 0) {
    if (Squared) return take_staged<accumulator::squares, T>(a, stage, first, stride);
    if (a.what == accumulator::total)
      return take_staged<accumulator::total, T>(a, stage, first, stride);
    return take_staged<accumulator::magnitudes, T>(a, stage, first, stride);
  }
  const fast_rows<T, Squared> rows(a);
  if (a.vectors == 1) return rows.template take_short<1>(first, stride);
  if (a.vectors == 2) return rows.template take_short<2>(first, stride);
  if (a.vectors == 8) return rows.template take_short<8>(first, stride);
  rows.take_long(first, stride);
}

/// Shape:  x[outer][n], inner == 1, n > 0, aligned to T; out[outer]; rows of several chunks leave
///         partials[outer][parts], which many_fast_parts joins; any grid, blocks of up to
///         ring_threads, a multiple of 32; dynamic shared memory for fast_stage_words of 64 bits a
///         warp.
/// Error:  docs/numerics/fast.md, Theorem F2.
/// Order:  the CPU's: the same bits in any grid and group.
template <class T>
__global__ void __launch_bounds__(ring_threads, 4) many_fast_rows(fast_rows_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  const std::int64_t step = fast_rows_step<T>(a), stride = step * warps * gridDim.x;
  const std::int64_t first = step * (std::int64_t(blockIdx.x) * warps + warp);
  std::int64_t* const stage = shared + warp * fast_stage_words(a);
  if (a.what == accumulator::squares)
    take_fast_rows<T, true>(a, stage, first, stride);
  else
    take_fast_rows<T, false>(a, stage, first, stride);
}

}  // namespace onefold::cuda
