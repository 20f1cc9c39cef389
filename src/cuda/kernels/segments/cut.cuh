// SPDX-License-Identifier: Apache-2.0
#pragma once
// How segments are shared among warps: work ranges of equal weight, found by search.
//
// An element weighs 1, a segment `segment_weight` more, so that neither one long segment nor many
// empty ones need a hint. weight_of(k) is the weight of all before segment k; a work range goes
// from one weight to another, and begins in the last segment k with weight_of(k) <= the first of
// them. Work ranges of late blocks are shorter, so that all blocks end at about one time. Offsets
// that fall give any cut, but one in which some warp meets the fall: the work ranges cover all
// segments, or two neighbours' places do.

#include "cuda/kernels/segments/segments.hpp"
#include "cuda/primitives/element.cuh"
#include "cuda/primitives/warp.cuh"
#include "cuda/rounding/answer.cuh"

namespace onefold::cuda {

/// Where segment k begins; TakesRows: whether there may be no offsets.
template <bool TakesRows>
ONEFOLD_DEVICE std::int64_t begin_of(const segments_block& block, std::int64_t k) {
  return TakesRows && block.offsets == nullptr ? k * block.length : block.offsets[k];
}

struct segment_arguments {
  segments_request request;
  segments_block block;
  answer_form form;   ///< without a length
  element_kind kind;  ///< of the input
  bool leave_first;   ///< whether elements do, of the second cache
  std::int64_t segment_weight;
  std::int64_t work_range;  ///< weight of a warp's share, in the early blocks
  std::int64_t late;        ///< the same in the others
  std::int64_t early;       ///< the number of early blocks
  std::uint64_t* findings;  ///< bits of segments_finding
  unsigned* tickets;        ///< [blocks], zero
  std::int64_t* partials;   ///< [2][blocks] sums: first heads, then tails
};

/// What a fold says of an answer that it wrote: bits of segments_finding, and this one, where a
/// warp has to sum the segment up again.
inline constexpr unsigned left_open = 1u << 31;

/// Where a work range begins or ends.
struct segment_place {
  std::int64_t segment;  ///< that is under way; the number of segments at the end
  std::int64_t item;     ///< the next element
  std::int64_t begin;    ///< where the segment begins
  bool inside;           ///< whether some weight of the segment lies before
};

/// How weights are shared among blocks. Operations other than sums have equal work ranges.
template <bool IsSum>
class block_cut {
 public:
  ONEFOLD_DEVICE block_cut(const segment_arguments& a, int warps)
      : a_(a), share_(a.work_range * warps), late_(IsSum ? a.late * warps : share_) {}

  ONEFOLD_DEVICE std::int64_t work_range_of(std::int64_t block) const {
    return !IsSum || block < a_.early ? a_.work_range : a_.late;
  }
  ONEFOLD_DEVICE std::int64_t begin_of(std::int64_t block) const {
    const std::int64_t before = IsSum ? min(block, a_.early) : block;
    return before * share_ + (block - before) * late_;
  }
  ONEFOLD_DEVICE std::int64_t block_at(std::int64_t weight) const {
    const std::int64_t block = weight / share_;
    if (!IsSum || block < a_.early) return block;
    return a_.early + (weight - a_.early * share_) / late_;
  }

 private:
  const segment_arguments& a_;
  std::int64_t share_, late_;  ///< weight of a block
};

template <bool TakesRows>
class segment_cut {
 public:
  ONEFOLD_DEVICE explicit segment_cut(const segment_arguments& a)
      : a_(a), first_(begin_of<TakesRows>(a.block, 0)),
        last_(begin_of<TakesRows>(a.block, a.block.count)) {}

  /// Whether the first and the last offset are; of those between the warps find out.
  ONEFOLD_DEVICE bool ends_are_sound() const {
    return 0 <= first_ && first_ <= last_ && last_ <= a_.block.items;
  }
  ONEFOLD_DEVICE std::int64_t weight() const { return weight_of(a_.block.count); }
  ONEFOLD_DEVICE std::int64_t weight_of(std::int64_t k) const {
    return offset(k) - first_ + k * a_.segment_weight;
  }
  /// Moved into the range of the first and the last, so that nothing overflows.
  ONEFOLD_DEVICE std::int64_t offset(std::int64_t k) const {
    return min(max(begin_of<TakesRows>(a_.block, k), first_), last_);
  }

  /// The places where two weights are reached. Every lane of the warp calls it.
  ONEFOLD_DEVICE void find(std::int64_t from_weight, std::int64_t to_weight, segment_place& from,
                           segment_place& to) const {
    const segment_place place = place_of(lane_index() < 16 ? from_weight : to_weight);
    from = place_of_lane(place, 0);
    to = place_of_lane(place, 16);
  }

 private:
  ONEFOLD_DEVICE static segment_place place_of_lane(const segment_place& at, int lane) {
    return {of_lane(at.segment, lane), of_lane(at.item, lane), of_lane(at.begin, lane),
            of_lane(int(at.inside), lane) != 0};
  }
  ONEFOLD_DEVICE segment_place place_of(std::int64_t weight) const {
    const std::int64_t k = segment_at(weight);
    if (k == a_.block.count) return {k, last_, last_, false};
    const std::int64_t begin = offset(k), length = max(offset(k + 1) - begin, std::int64_t(0));
    const std::int64_t done = weight - weight_of(k);
    return {k, begin + max(min(done, length), std::int64_t(0)), begin, done > 0};
  }
  // Of a half of the warp: the number of segments 1, 2, … with weight_of <= weight. All of them
  // look at once: 7 rounds of loads for 10^8 segments.
  ONEFOLD_DEVICE std::int64_t segment_at(std::int64_t weight) const {
    std::int64_t low = 0, high = a_.block.count;
    ONEFOLD_ROLLED
    while (any_lane(low < high)) {
      const std::int64_t step = (high - low + 15) / 16;
      const std::int64_t k = low + std::int64_t(lane_index() % 16 + 1) * step;
      const bool before = low < high && k <= high && weight_of(k) <= weight;
      const unsigned half = __ballot_sync(whole_warp, before) >> (lane_index() & 16) & 0xFFFF;
      if (low == high) continue;
      low += __popc(half) * step;
      high = min(high, low + step - 1);
    }
    return low;
  }

  const segment_arguments& a_;
  std::int64_t first_, last_;
};

}  // namespace onefold::cuda
