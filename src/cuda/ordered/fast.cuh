// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast reductions of whole arrays, chunk by chunk: the CPU's operations in the CPU's order, so the
// CPU's bits (docs/numerics/fast.md). The tree above the chunks is the host's.

#include "cuda/ordered/chunk_ring.cuh"
#include "state/accumulator.hpp"

namespace onefold::cuda {

/// What a fast sum adds.
template <accumulator Accumulator>
struct fast_term {
  static constexpr int arrays = Accumulator == accumulator::products ? 2 : 1;
  static constexpr int words = 1;
  template <class Number>
  ONEFOLD_DEVICE Number operator()(Number x, Number y) const {
    if constexpr (Accumulator == accumulator::magnitudes)
      return fabs(x);
    else if constexpr (Accumulator == accumulator::total)
      return x;
    else
      return x * (Accumulator == accumulator::products ? y : x);
  }
};

/// Shape:  x[n], and for products y[n], n > 0, aligned to T; parts[chunks]; a block has
///         ring_threads threads and dynamic shared memory for ring_bytes(arrays, shape), where
///         `shape` is a ring_shape_of; any grid.
/// Error:  docs/numerics/fast.md, Theorem F2.
/// Order:  that of chunks.cuh: parts[c] has the bits of the CPU's sum of chunk c, in any grid.
template <accumulator Accumulator, class T>
__global__ void __launch_bounds__(ring_threads, 5)
    fast_sums(const T* x, const T* y, std::int64_t n, std::int64_t* parts, ring_shape shape) {
  using number = fast_number<T>;
  constexpr int arrays = fast_term<Accumulator>::arrays;
  __shared__ number upper_lanes[virtual_lanes / 2];
  ONEFOLD_DYNAMIC_SHARED(uint4, slots);
  chunk_ring<T, arrays> ring(x, y, n, slots, shape);
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::int64_t count = min(n - c * tuning::chunk_items, tuning::chunk_items);
    number sum = number(-0.0);
    ONEFOLD_ROLLED
    for (std::int64_t done = 0; done < count; done += ring.items()) {
      const uint4* const stage = ring.next();
      if (threadIdx.x < virtual_lanes)
        sum = add_stage(ring, stage, int(min(count - done, std::int64_t(ring.items()))), sum,
                        fast_term<Accumulator>());
    }
    const number total = fold_lanes(sum, upper_lanes);
    if (threadIdx.x == 0) parts[c] = word_of_number(total);
  }
}

/// The distance of an element from a centre, or its square.
template <class Number, bool Squared>
struct distance_term {
  Number centre;
  ONEFOLD_DEVICE Number operator()(Number x, Number) const {
    const Number distance = x - centre;
    return Squared ? distance * distance : distance;
  }
};

/// The number that an element counts as. Of bytes at most `most`: 1 of booleans, which any byte but
/// 0 is.
template <class T>
ONEFOLD_DEVICE fast_number<T> counted(fast_number<T> x, fast_number<T> most) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return min(x, most);
  else
    return x;
}

/// Shape:  as fast_sums, of one array, with two words a chunk: the mean, and the sum of squared
///         distances from it; NaN where the mean is not finite.
/// Error:  docs/numerics/fast.md, Theorem F3.
/// Order:  that of chunks.cuh: the bits of the CPU's moments of a chunk, in any grid.
template <class T>
__global__ void __launch_bounds__(chunk_threads, 4)
    fast_chunk_moments(const T* x, std::int64_t n, fast_number<T> most, std::int64_t* parts) {
  using number = fast_number<T>;
  __shared__ chunk_memory<number, 1> memory;
  stage_reader<T> of[2] = {{x, n}, {x, n}};
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  const auto first_of_chunk = [&](std::int64_t at) {
    return counted<T>(number_of<T>(folds::bits_of<T>(bits_at(x + (at < n ? at : 0)))), most);
  };
  load_stage<1>(of, blockIdx.x * tuning::chunk_items);
  number centre = first_of_chunk(blockIdx.x * tuning::chunk_items);
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::int64_t first = c * tuning::chunk_items,
                       next = (c + gridDim.x) * tuning::chunk_items;
    const std::int64_t count = min(n - first, tuning::chunk_items);
    const distance_term<number, false> from_first = {centre};
    const auto shift = [&](number a, number b) { return from_first(counted<T>(a, most), b); };
    const number shifted =
        fold_lanes(sum_of_lane<1>(of, first, count, first, memory, shift), memory.lanes);
    if (threadIdx.x == 0) memory.mean = centre + shifted / number(count);
    __syncthreads();
    centre = first_of_chunk(next);
    const distance_term<number, true> from_mean = {memory.mean};
    const auto square = [&](number a, number b) { return from_mean(counted<T>(a, most), b); };
    const number squares =
        fold_lanes(sum_of_lane<1>(of, first, count, next, memory, square), memory.lanes);
    if (threadIdx.x != 0) continue;
    const bool finite = from_mean.centre - from_mean.centre == 0;
    parts[2 * c] = word_of_number(from_mean.centre);
    parts[2 * c + 1] = word_of_number(finite ? squares : number(NAN));
  }
}

}  // namespace onefold::cuda
