// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of chunks that are read twice: for the largest element, and for the sums.
// The warps of a block share out its blocks of rows.

#include "cuda/ordered/chunk_top.cuh"
#include "cuda/ordered/chunks.cuh"
#include "cuda/parts/exponential_terms.cuh"

namespace onefold::cuda {

inline constexpr int most_row_blocks =
    int(tuning::chunk_items / (exponential_rows * virtual_lanes)) + 1;

/// What a block of chunk_threads threads shares.
template <class T>
struct twice_read_memory {
  exponential_sum<T> sums[most_row_blocks][virtual_lanes];
  folds::place_type<T> largest[chunk_threads / warp_lanes];
  std::uint32_t nans[chunk_threads / warp_lanes];
  exponential_sum<T> lanes[virtual_lanes / 2];
  term_powers powers;
};

/// In every thread. Every thread of the block calls it.
template <class T>
ONEFOLD_DEVICE chunk_top<T> top_of_chunk(const T* x, std::int64_t count,
                                         twice_read_memory<T>& memory) {
  chunk_top<T> top;
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t i = threadIdx.x; i < count; i += chunk_threads)
    top.take(folds::bits_of<T>(bits_at(x + i)));
  for (unsigned step = warp_lanes / 2; step > 0; step /= 2)
    top.largest = max(top.largest, __shfl_xor_sync(whole_warp, top.largest, step));
  top.nans = warp_add(top.nans);
  const unsigned warp = threadIdx.x / warp_lanes;
  if (lane_index() == 0) memory.largest[warp] = top.largest, memory.nans[warp] = top.nans;
  __syncthreads();
  chunk_top<T> all;
  for (unsigned w = 0; w < chunk_threads / warp_lanes; ++w)
    all.largest = max(all.largest, memory.largest[w]), all.nans += memory.nans[w];
  return all;
}

/// The sum of the terms, in thread 0. Every thread of the block calls it.
template <class T>
ONEFOLD_DEVICE exponential_sum<T> sum_of_exponentials(const T* x, std::int64_t count,
                                                      const chunk_exponentials<T>& exponentials,
                                                      twice_read_memory<T>& memory) {
  const unsigned lane = threadIdx.x % virtual_lanes;
  const std::int64_t rows = count / virtual_lanes;
  const int whole = int((rows + exponential_rows - 1) / exponential_rows);
  const int blocks = whole + (count % virtual_lanes != 0);
  ONEFOLD_ROLLED
  for (int b = int(threadIdx.x / virtual_lanes); b < blocks; b += chunk_threads / virtual_lanes) {
    // The last row, if it is not whole, is a block of its own.
    const std::int64_t begin = b < whole ? b * exponential_rows : rows;
    const std::int64_t end = b < whole ? min(begin + exponential_rows, rows) : begin + 1;
    exponential_sum<T> sum = 0;
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t i = row * virtual_lanes + lane;
      if (i < count) sum += exponentials.term_of(number_of<T>(bits_at(x + i)));
    }
    memory.sums[b][lane] = sum;
  }
  __syncthreads();
  exponential_sum<T> total = 0;
  if (threadIdx.x < virtual_lanes)
    for (int b = 0; b < blocks; ++b) total += memory.sums[b][lane];
  return fold_lanes(total, memory.lanes);
}

/// The words of a chunk's sum, 0 where there is no finite element.
template <class T>
ONEFOLD_DEVICE void write_sum(exponential_sum<T> sum, double largest, const term_powers& powers,
                              std::int64_t* to) {
  exponential::scaled_sum found = {0, 0};
  if (sum != 0) found = chunk_exponentials<T>(largest, powers).scaled(sum);
  to[0] = word_of_number(found.shift), to[1] = word_of_number(found.sum);
}

/// In place of whether a chunk has an infinity: log_sum_chunks has to take it yet.
inline constexpr std::int64_t chunk_left = -1;
/// Whether that is one of `first`, first + step, … By a warp.
ONEFOLD_DEVICE bool any_left(const std::int64_t* parts, std::int64_t first, std::int64_t step,
                             std::int64_t chunks) {
  bool left = false;
  ONEFOLD_ROLLED
  for (std::int64_t c = first + lane_index() * step; c < chunks; c += warp_lanes * step)
    left = left || parts[4 * c + 3] == chunk_left;
  return any_lane(left);
}

/// log_sum_chunks, by blocks of chunk_threads threads that work alone.
template <class T>
ONEFOLD_DEVICE void log_sums_read_twice(const T* x, std::int64_t n, std::int64_t* parts,
                                        bool only_left, twice_read_memory<T>& memory) {
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  write_term_powers(memory.powers);
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    if (only_left && parts[4 * c + 3] != chunk_left) continue;
    const std::int64_t first = c * tuning::chunk_items;
    const std::int64_t count = min(n - first, tuning::chunk_items);
    const chunk_top<T> top = top_of_chunk(x + first, count, memory);
    const chunk_exponentials<T> exponentials(top.value(), memory.powers);
    exponential_sum<T> sum = 0;
    if (!top.none()) sum = sum_of_exponentials(x + first, count, exponentials, memory);
    if (threadIdx.x == 0) {
      write_sum<T>(sum, top.value(), memory.powers, parts + 4 * c);
      parts[4 * c + 2] = top.nans, parts[4 * c + 3] = top.infinite();
    }
    __syncthreads();
  }
}

}  // namespace onefold::cuda
