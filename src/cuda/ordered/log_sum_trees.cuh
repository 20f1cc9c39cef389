// SPDX-License-Identifier: Apache-2.0
#pragma once
// Merges sums of exponentials of chunks: the tree above them (docs/specification.md, section 3), as
// far as its subtrees are complete, by the host's operations in the host's order.

#include "cuda/ordered/log_sum_trees.hpp"
#include "cuda/parts/exponential.cuh"
#include "cuda/parts/lanes.cuh"
#include "cuda/parts/warp.cuh"
#include "request/tuning.hpp"
#include "state/shifted_sum.hpp"

namespace onefold::cuda {

inline constexpr int log_sum_chunk_words = 4;
static_assert(device_tree_chunks == 2 * warp_lanes, "a lane begins with two chunks");

ONEFOLD_DEVICE exponential::shifted_sum sum_of_chunk(const std::int64_t* word) {
  const auto sum = __builtin_bit_cast(double, word[1]);
  return {sum > 0 ? __builtin_bit_cast(double, word[0]) : 0, {sum, 0}};
}

/// Shape:  words[4 * chunks] of log_sum_chunks, of n > 0 elements; to: of each 64 chunks the words
///         of detail::log_sum, 6, then the words of the last chunks % 64. A block of a warp for
///         each 64 chunks or less.
/// Error:  docs/numerics/logsumexp.md.
/// Order:  the host's: the bits of its subtrees.
static __global__ void __launch_bounds__(warp_lanes)
    log_sum_trees(const std::int64_t* words, std::int64_t n, std::int64_t* to) {
  constexpr std::int64_t items = device_tree_chunks * tuning::chunk_items;
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  const std::int64_t tree = blockIdx.x, rest = chunks - tree * device_tree_chunks;
  const auto lane = std::int64_t(lane_index());
  words += tree * device_tree_chunks * log_sum_chunk_words, to += tree * detail::log_sum::words;
  if (rest < device_tree_chunks) {
    ONEFOLD_ROLLED
    for (std::int64_t i = lane; i < rest * log_sum_chunk_words; i += warp_lanes) to[i] = words[i];
    return;
  }
  const std::int64_t* const first = words + 2 * lane * log_sum_chunk_words;
  const std::int64_t* const second = first + log_sum_chunk_words;
  const std::uint32_t nans = warp_add(std::uint32_t(first[2] + second[2]));
  const bool infinite = any_lane((first[3] | second[3]) != 0);
  const auto of = [](double d) { return exponential_of(d); };
  exponential::shifted_sum front = sum_of_chunk(first), next = sum_of_chunk(second);
  ONEFOLD_ROLLED
  for (unsigned step = 1;; step *= 2) {
    front = exponential::appended(front, next, of);
    if (step == warp_lanes) break;
    next.shift = __shfl_down_sync(whole_warp, front.shift, step);
    next.sum.high = __shfl_down_sync(whole_warp, front.sum.high, step);
    next.sum.low = __shfl_down_sync(whole_warp, front.sum.low, step);
  }
  if (lane != 0) return;
  to[0] = min(n - tree * items, items), to[1] = nans, to[2] = word_of_number(front.shift);
  to[3] = word_of_number(front.sum.high), to[4] = word_of_number(front.sum.low), to[5] = infinite;
}

}  // namespace onefold::cuda
