// SPDX-License-Identifier: Apache-2.0
#pragma once
// Merges sums of exponentials of chunks: the tree above them (docs/specification.md, section 3), by
// the host's operations in the host's order. In that tree the nodes of a level are merged in pairs
// of neighbours, and an odd last one goes up as it is.

#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/ordered/ordered.hpp"
#include "cuda/parts/grid.cuh"
#include "cuda/parts/lanes.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

static_assert(device_tree_chunks == 2 * warp_lanes, "a lane begins with two nodes");

ONEFOLD_HOST_DEVICE constexpr std::int64_t trees_of_chunks(std::int64_t chunks) {
  return (chunks + device_tree_chunks - 1) / device_tree_chunks;
}

ONEFOLD_DEVICE double number_in(std::int64_t word) {
  return __builtin_bit_cast(double, word);
}
ONEFOLD_DEVICE log_sum_parts parts_of_chunk(const std::int64_t* word) {
  const double sum = number_in(word[1]);
  return {word[2], sum > 0 ? number_in(word[0]) : 0, sum, word[3] != 0};
}
/// Of the words of detail::log_sum.
ONEFOLD_DEVICE log_sum_parts parts_of_state(const std::int64_t* word) {
  return {word[1], number_in(word[2]), number_in(word[3]), word[5] != 0, number_in(word[4])};
}
ONEFOLD_DEVICE void write_state(const log_sum_parts& of, std::int64_t count, std::int64_t* to) {
  to[0] = count, to[1] = of.nans, to[2] = word_of_number(of.shift);
  to[3] = word_of_number(of.sum), to[4] = word_of_number(of.low), to[5] = of.infinite;
}

/// log_sum::append. Where `next` has no elements, the bits are those of `front`.
ONEFOLD_DEVICE log_sum_parts appended(const log_sum_parts& front, const log_sum_parts& next) {
  const exponential::shifted_sum both = exponential::appended(
      {front.shift, {front.sum, front.low}}, {next.shift, {next.sum, next.low}},
      [](double d) { return exponential_of(d); });
  return {front.nans + next.nans, both.shift, both.sum.high, front.infinite || next.infinite,
          both.sum.low};
}

/// The tree of up to device_tree_chunks neighbours, of which node(i) is one or has no elements, in
/// lane 0. Every lane of the warp calls it.
template <class Node>
ONEFOLD_DEVICE log_sum_parts merged(const Node& node) {
  const auto lane = std::int64_t(lane_index());
  log_sum_parts front = node(2 * lane), next = node(2 * lane + 1);
  ONEFOLD_ROLLED
  for (unsigned step = 1;; step *= 2) {
    front = appended(front, next);
    if (step == warp_lanes) return front;
    next.nans = __shfl_down_sync(whole_warp, front.nans, step);
    next.shift = __shfl_down_sync(whole_warp, front.shift, step);
    next.sum = __shfl_down_sync(whole_warp, front.sum, step);
    next.infinite = __shfl_down_sync(whole_warp, int(front.infinite), step) != 0;
    next.low = __shfl_down_sync(whole_warp, front.low, step);
  }
}

/// Merges `count` states in their place until one is left, which is in lane 0.
ONEFOLD_DEVICE log_sum_parts merged_states(std::int64_t* states, std::int64_t count) {
  ONEFOLD_ROLLED
  for (;; count = trees_of_chunks(count)) {
    log_sum_parts all;
    ONEFOLD_ROLLED
    for (std::int64_t first = 0; first < count; first += device_tree_chunks) {
      all = merged([&](std::int64_t i) {
        const std::int64_t at = first + i;
        return at < count ? parts_of_state(states + at * log_sum_words) : log_sum_parts();
      });
      __syncwarp();
      if (lane_index() == 0)
        write_state(all, 0, states + first / device_tree_chunks * log_sum_words);
      __syncwarp();
    }
    if (count <= device_tree_chunks) return all;
  }
}

/// Shape:  words[4 * chunks] of the chunks of n elements; to: of each 64 chunks the words of
///         detail::log_sum, 6. Without answers n > 0, and the words of the last chunks % 64 follow
///         as they are. With answers those are a state too; the last block merges all states into
///         the first, but for its count, and rounds; the ticket is zero before and after. A block
///         of a warp for each 64 chunks or less, at least one.
/// Error:  docs/numerics/logsumexp.md; answers as on the host.
/// Order:  the host's: the bits of its tree.
static __global__ void __launch_bounds__(warp_lanes)
    log_sum_trees(const std::int64_t* words, std::int64_t n, std::int64_t* to, unsigned* ticket,
                  ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  constexpr std::int64_t items = device_tree_chunks * tuning::chunk_items;
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  const std::int64_t tree = blockIdx.x, rest = chunks - tree * device_tree_chunks;
  const std::int64_t* const from = words + tree * device_tree_chunks * log_sum_chunk_words;
  std::int64_t* const own = to + tree * log_sum_words;
  if (list.size == 0 && rest < device_tree_chunks) {
    ONEFOLD_ROLLED
    for (std::int64_t i = lane_index(); i < rest * log_sum_chunk_words; i += warp_lanes)
      own[i] = from[i];
    return;
  }
  log_sum_parts all = merged([&](std::int64_t i) {
    return i < rest ? parts_of_chunk(from + i * log_sum_chunk_words) : log_sum_parts();
  });
  bool last = false;
  if (lane_index() == 0) {
    write_state(all, min(n - tree * items, items), own);
    last = list.size > 0 && draw_last_ticket(ticket);
  }
  if (!any_lane(last)) return;
  __syncwarp();
  if (gridDim.x > 1) all = merged_states(to, gridDim.x);
  if (lane_index() == 0) report(status_code::ok, list), finish_parts(all, list, 0);
}

}  // namespace onefold::cuda
