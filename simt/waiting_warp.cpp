// SPDX-License-Identifier: Apache-2.0
#include "simt/waiting_warp.hpp"

#include <algorithm>
#include <bit>

namespace onefold::simt {
namespace {

template <class Use>
void for_each_lane(std::uint32_t lanes, Use&& use) {
  for (; lanes != 0; lanes &= lanes - 1) use(static_cast<unsigned>(std::countr_zero(lanes)));
}

std::uint64_t fold(warp_word word, std::uint32_t a, std::uint32_t b) {
  switch (word) {
  case warp_word::add:
    return a + b;
  case warp_word::min:
    return std::min(a, b);
  case warp_word::max:
    return std::max(a, b);
  case warp_word::min_signed:
    return static_cast<std::uint32_t>(
        std::min(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
  case warp_word::max_signed:
    return static_cast<std::uint32_t>(
        std::max(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
  case warp_word::bit_and:
    return a & b;
  case warp_word::bit_or:
    return a | b;
  default:
    return a ^ b;
  }
}

/// The lane that a shuffle reads, as PTX defines shfl; the lane itself where the segment ends.
unsigned source_of(const warp_call& call, unsigned lane, unsigned warp_lanes) {
  const unsigned requested = std::clamp(static_cast<unsigned>(call.width), 1u, warp_lanes);
  const unsigned width = std::bit_floor(requested);  // CUDA leaves other widths undefined
  const unsigned first = lane & ~(width - 1);
  const unsigned last = first + width - 1;
  const unsigned argument = static_cast<unsigned>(call.argument) % max_warp_lanes;
  unsigned source = lane;
  switch (call.word) {
  case warp_word::shuffle:
    return first + argument % width;
  case warp_word::shuffle_up:
    return lane - first >= argument ? lane - argument : lane;
  case warp_word::shuffle_down:
    source = lane + argument;
    break;
  default:
    source = lane ^ argument;
    break;
  }
  return source <= last ? source : lane;
}

}  // namespace

void waiting_warp::arrive(unsigned lane, const warp_call& made, site_id where) {
  call[lane] = made;
  site[lane] = where;
  const auto same = [&made](const warp_group& g) {
    return g.word == made.word && g.mask == made.mask;
  };
  auto group = std::find_if(groups.begin(), groups.end(), same);
  if (group == groups.end()) group = groups.insert(group, {made.word, made.mask});
  group->arrived |= 1u << lane;
}

std::uint64_t waiting_warp::folded(const warp_group& group) const {
  const auto first = static_cast<unsigned>(std::countr_zero(group.arrived));
  std::uint64_t value = call[first].value;
  for_each_lane(group.arrived & (group.arrived - 1), [&](unsigned lane) {
    value = fold(group.word, static_cast<std::uint32_t>(value),
                 static_cast<std::uint32_t>(call[lane].value));
  });
  return value;
}

std::uint32_t waiting_warp::lanes_with(const warp_group& group, std::uint64_t value) const {
  std::uint32_t lanes = 0;
  for_each_lane(group.arrived,
                [&](unsigned lane) { lanes |= (call[lane].value == value ? 1u : 0u) << lane; });
  return lanes;
}

std::uint32_t waiting_warp::compute_shuffles(const warp_group& group, unsigned warp_lanes,
                                             std::uint64_t absent) {
  std::uint32_t without_source = 0;
  for_each_lane(group.arrived, [&](unsigned lane) {
    const unsigned source = source_of(call[lane], lane, warp_lanes);
    const bool there = (group.arrived >> source & 1) != 0;
    result[lane] = there ? call[source].value : absent;
    if (!there) without_source |= 1u << lane;
  });
  return without_source;
}

std::uint32_t waiting_warp::compute(const warp_group& group, unsigned warp_lanes,
                                    std::uint64_t absent) {
  const auto give_all = [&](std::uint64_t value) {
    for_each_lane(group.arrived, [&](unsigned lane) { result[lane] = value; });
  };
  switch (group.word) {
  case warp_word::shuffle:
  case warp_word::shuffle_up:
  case warp_word::shuffle_down:
  case warp_word::shuffle_xor:
    return compute_shuffles(group, warp_lanes, absent);
  case warp_word::ballot:
    give_all(lanes_with(group, 1));
    break;
  case warp_word::any:
    give_all(lanes_with(group, 1) != 0);
    break;
  case warp_word::all:
    give_all(lanes_with(group, 1) == group.arrived);
    break;
  case warp_word::match:
    for_each_lane(group.arrived,
                  [&](unsigned lane) { result[lane] = lanes_with(group, call[lane].value); });
    break;
  case warp_word::synchronise:
    break;
  default:
    give_all(folded(group));
    break;
  }
  return 0;
}

}  // namespace onefold::simt
