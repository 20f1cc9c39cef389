// SPDX-License-Identifier: Apache-2.0
#pragma once
// A warp's work range, 32 segments at a time.

#include "cuda/kernels/segments/segment_shares.cuh"

namespace onefold::cuda {

template <class Fold>
class segment_warp {
 public:
  using sum = typename Fold::sum;
  using part = typename Fold::part;
  using space = segment_space<Fold>;

  ONEFOLD_DEVICE segment_warp(const segment_arguments& a, const Fold& fold, std::int64_t* shared)
      : a_(a), fold_(fold), shares_(a, fold, shared), shared_(shared) {}

  /// Writes the answers of segments that begin and end between two places; the rest is the record.
  /// False where offsets fall.
  ONEFOLD_DEVICE bool take(const segment_place& from, const segment_place& to,
                           const range_record<sum>& record) {
    // Of sound offsets no two places are further apart than their weights.
    bool fine = from.segment <= to.segment && to.segment - from.segment <= a_.work_range &&
                from.item <= to.item && to.item - from.item <= a_.work_range;
    sum tail = Fold::nothing();
    if (fine) {
      shares_.open(from.item, to.item);
      last_ = int(to.item - shares_.base()), continued_ = from.inside;
      fine = take_all(from, to, record);
      if (fine) tail = fold_.sum_of(shares_.of_warp(last_), shares_.base());
      shares_.close();
    }
    if (lane_index() == 0) {
      record.set(from.segment, fine ? to.segment : from.segment, fine && from.inside,
                 fine && to.inside);
      record.set_tail(tail);
    }
    return fine;
  }

  /// Bits of segments_finding of this lane's answers.
  ONEFOLD_DEVICE unsigned found() const { return found_; }

  /// Notes what was said of an answer of this lane, and sums the left_open up again. Every lane of
  /// the warp calls it.
  ONEFOLD_DEVICE void settle(unsigned said, std::int64_t begin, std::int64_t n, std::int64_t k) {
    found_ |= said & ~left_open;
    if constexpr (Fold::digits > 0) {
      ONEFOLD_ROLLED
      for (unsigned left = __ballot_sync(whole_warp, (said & left_open) != 0); left != 0;
           left &= left - 1) {
        const int lane = __ffs(int(left)) - 1;
        fold_.fallback(of_lane(begin, lane), of_lane(n, lane), of_lane(k, lane),
                       shared_ + space::window);
      }
    }
  }

 private:
  static constexpr int lanes = int(warp_lanes);

  // Where the next segment of this lane ends.
  ONEFOLD_DEVICE std::int64_t* own_end() const {
    return shared_ + (space::window + Fold::digits + int(lane_index()));
  }

  // All segments that end in the work range, 32 at a time: lane i has the one that is i after the
  // first. Where the next ones end is kept in shared memory: registers are for the sums.
  ONEFOLD_DEVICE bool take_all(const segment_place& from, const segment_place& to,
                               const range_record<sum>& record) {
    const int lane = int(lane_index());
    const bool of_rows = Fold::takes_rows && a_.block.offsets == nullptr;
    const std::int64_t* ends = a_.block.offsets + from.segment + 1;
    const auto end_of = [&](std::int64_t first, int i) {
      return of_rows ? (first + i + 1) * a_.block.length : ends[i];
    };
    int count = int(to.segment - from.segment);
    if (count > 0) *own_end() = end_of(from.segment, min(lane, count - 1));
    ONEFOLD_ROLLED
    for (std::int64_t first = from.segment; count > 0; first += lanes) {
      const auto place = std::uint64_t((lane < count ? *own_end() : to.item) - shares_.base());
      const int end = int(place), below = __shfl_up_sync(whole_warp, end, 1);
      const int begin = lane == 0 ? shares_.item() : below;
      if (any_lane(place > std::uint64_t(last_) || end < begin)) return false;
      std::int64_t next = 0;
      const part partial = shares_.parts_of(min(count, lanes), begin, end, [&] {
        next = end_of(first, min(lanes + lane, count - 1));
        if (lane + 2 * lanes < count && !of_rows) ask_for(ends + 2 * lanes + lane);
      });
      write(partial, lane < count, begin, end - begin, first, next, record);
      ends += lanes, count -= lanes;
    }
    return true;
  }

  ONEFOLD_DEVICE void write(const part& partial, bool has, int begin, int n, std::int64_t first,
                            std::int64_t next, const range_record<sum>& record) {
    const int lane = int(lane_index());
    const sum all = fold_.sum_of(partial, shares_.base());
    unsigned said = 0;
    if (lane == 0 && continued_)
      record.set_head(all);
    else if (has)
      said = fold_.write_usual(all, n, first, lane);
    continued_ = false;
    *own_end() = next;
    found_ |= said & ~left_open;
    if (!any_lane((said & left_open) != 0)) return;
    if ((said & left_open) != 0) said = fold_.write_rest(all, n, first + lane);
    settle(said, shares_.base() + begin, n, first + lane);
  }

  const segment_arguments& a_;
  const Fold& fold_;
  segment_shares<Fold> shares_;
  std::int64_t* shared_;
  int last_ = 0;  ///< the place after the last element
  bool continued_ = false;
  unsigned found_ = 0;
};

}  // namespace onefold::cuda
