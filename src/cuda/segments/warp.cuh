// SPDX-License-Identifier: Apache-2.0
#pragma once
// A warp's stretch, 32 segments at a time, each of them by as many lanes as their lengths ask for:
// one, or 2, 4 … 16 where more than a quarter would have more than 128 bytes a lane. Segments of
// more than 256 bytes a lane, however few, are summed by the whole warp, one after another.

#include "cuda/parts/bracket.cuh"
#include "cuda/segments/window.cuh"

namespace onefold::cuda {

/// What a warp leaves for its block.
template <class Sum>
struct stretch_record {
  static constexpr int words = 3 + 2 * Sum::parts;
  std::int64_t* at;

  ONEFOLD_DEVICE std::int64_t first() const { return at[0]; }
  ONEFOLD_DEVICE std::int64_t last() const { return at[1]; }
  /// Whether the first segment begins, and the last one ends, in another stretch.
  ONEFOLD_DEVICE bool continued() const { return (at[2] & 1) != 0; }
  ONEFOLD_DEVICE bool open() const { return (at[2] & 2) != 0; }
  ONEFOLD_DEVICE bool passes() const { return continued() && first() == last(); }
  /// Of the first segment, if it is continued and ends here; of the last one.
  ONEFOLD_DEVICE Sum head() const { return read_sum<Sum>(at + 3, 1); }
  ONEFOLD_DEVICE Sum tail() const { return read_sum<Sum>(at + 3 + Sum::parts, 1); }

  ONEFOLD_DEVICE void set(std::int64_t first, std::int64_t last, bool continued, bool open) const {
    at[0] = first, at[1] = last;
    at[2] = std::int64_t(continued) | std::int64_t(open) << 1;
  }
  ONEFOLD_DEVICE void set_head(const Sum& sum) const { write_sum(sum, at + 3, 1); }
  ONEFOLD_DEVICE void set_tail(const Sum& sum) const { write_sum(sum, at + 3 + Sum::parts, 1); }
};

/// Shared memory of a warp, in words of 64 bits: the window, digits, the record.
template <class Fold>
struct segment_room {
  static constexpr int window = warp_window_bytes / 8;
  static constexpr int words =
      (window + Fold::digits + stretch_record<typename Fold::sum>::words + 1) / 2 * 2;
};

template <class Fold>
class segment_warp {
 public:
  using sum = typename Fold::sum;
  using room = segment_room<Fold>;

  ONEFOLD_DEVICE segment_warp(const segment_arguments& a, const Fold& fold, std::int64_t* shared)
      : a_(a), fold_(fold), window_(a, fold, shared), digits_(shared + room::window) {}

  /// Writes the answers of segments that begin and end between two places; the rest is the record.
  /// False where offsets fall.
  ONEFOLD_DEVICE bool take(const segment_place& from, const segment_place& to,
                           const stretch_record<sum>& record) {
    // Of sound offsets no two places are further apart than their weights.
    bool fine =
        from.segment <= to.segment && from.item <= to.item && to.item - from.item <= a_.stretch;
    sum tail = Fold::nothing();
    if (fine) {
      segment_ = from.segment, continued_ = from.inside;
      window_.open(from.item, to.item);
      item_ = int(from.item - window_.base()), last_ = int(to.item - window_.base());
      next_ = end_of(segment_, to), later_ = end_of(segment_ + int(warp_lanes), to);
      ONEFOLD_ROLLED
      while (fine && segment_ < to.segment) fine = take_some(to, record);
      if (fine) tail = of_warp(last_);
      window_.close();
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

  /// Notes what was said of an answer of this lane, and sums the undecided up again. Every lane of
  /// the warp calls it.
  ONEFOLD_DEVICE void settle(unsigned said, std::int64_t begin, std::int64_t n, std::int64_t k) {
    found_ |= said & ~undecided;
    if constexpr (Fold::digits > 0) {
      ONEFOLD_ROLLED
      for (unsigned left = __ballot_sync(whole_warp, (said & undecided) != 0); left != 0;
           left &= left - 1) {
        const int lane = __ffs(int(left)) - 1;
        fold_.redo(of_lane(begin, lane), of_lane(n, lane), of_lane(k, lane), digits_);
      }
    }
  }

 private:
  // What a lane is to have at most, in bytes.
  static constexpr int usual = 128, most = 256;
  // What the warp sums by elements, though some would be whole vectors.
  static constexpr int short_bytes = window_stage_bytes * 3 / 2;

  ONEFOLD_DEVICE static std::int64_t of_lane(std::int64_t word, int lane) {
    return __shfl_sync(whole_warp, static_cast<long long>(word), lane);
  }
  ONEFOLD_DEVICE static int of_lane(int word, int lane) {
    return __shfl_sync(whole_warp, word, lane);
  }
  ONEFOLD_DEVICE static sum of_lane(sum of, int lane) {
    of.for_each_part([&](auto& part) { part = __shfl_sync(whole_warp, part, lane); });
    return of;
  }
  // The sum of lanes whose numbers differ in the lowest bits alone.
  ONEFOLD_DEVICE static void join_lanes(sum& of, int lanes) {
    ONEFOLD_ROLLED
    for (int mask = 1; mask < lanes; mask *= 2) of.join(sum_across(of, mask));
  }
  ONEFOLD_DEVICE static int first_zero(unsigned bits) { return __clz(int(__brev(~bits))); }
  ONEFOLD_DEVICE int bytes_of(int items) const { return items * int(fold_.bytes()); }

  // Where the segment of this lane ends, if those of the warp begin with number k.
  ONEFOLD_DEVICE std::int64_t end_of(std::int64_t k, const segment_place& to) const {
    k += lane_index();
    return k < to.segment ? a_.of.offsets[k + 1] : to.item;
  }

  // Up to 32 segments: lane i has the one that is i behind.
  ONEFOLD_DEVICE bool take_some(const segment_place& to, const stretch_record<sum>& record) {
    constexpr int lanes = int(warp_lanes);
    const int lane = int(lane_index());
    const int count = int(min(to.segment - segment_, std::int64_t(lanes)));
    const auto place = std::uint64_t(next_ - window_.base());
    next_ = later_, later_ = end_of(segment_ + 2 * lanes, to);
    const int end = int(place), below = __shfl_up_sync(whole_warp, end, 1);
    const int begin = lane == 0 ? item_ : below;
    if (any_lane(place > std::uint64_t(last_) || end < begin)) return false;
    const sum mine = sums_of(count, begin, end);
    unsigned said = 0;
    if (lane == 0 && continued_)
      record.set_head(mine);
    else if (lane < count)
      said = fold_.write(mine, end - begin, segment_ + lane);
    settle(said, window_.base() + begin, end - begin, segment_ + lane);
    continued_ = false, segment_ += count;
    return true;
  }

  // Each lane's sum, of segments in the first `count` lanes.
  ONEFOLD_DEVICE sum sums_of(int count, int begin, int end) {
    const int lane = int(lane_index()), bytes = bytes_of(end - begin);
    const bool there = lane < count;
    int log2 = 0;
    ONEFOLD_ROLLED
    while (log2 < 5 && 4 * count_lanes(there && bytes > usual << log2) > count) ++log2;
    sum mine = Fold::nothing();
    int done = 0;
    ONEFOLD_ROLLED
    while (done < count) {
      const bool fits = there && bytes <= most << log2 && bytes_of(end) <= window_.reach();
      const unsigned fit = __ballot_sync(whole_warp, fits);
      const int run = log2 == 5 ? 0 : min(first_zero(fit >> done), int(warp_lanes) >> log2);
      if (run > 0) {
        const sum found = of_run(done, run, log2, begin, end);
        if (lane >= done && lane < done + run) mine = found;
        done += run;
      } else {
        const sum found = of_warp(of_lane(end, done));
        if (lane == done) mine = found;
        ++done;
      }
    }
    return mine;
  }

  // 2^log2 lanes a segment; lane `done` and on get the sums of their segments.
  ONEFOLD_DEVICE sum of_run(int done, int run, int log2, int begin, int end) {
    const int lane = int(lane_index()), mine = lane >> log2, step = 1 << log2;
    const bool own = done == 0 && log2 == 0;  // a lane sums up the segment that it has
    const int behind = of_lane(end, done + run - 1);
    int first = begin, last = end;
    if (!own) first = of_lane(begin, done + mine), last = of_lane(end, done + mine);
    window_.wait(bytes_of(behind));
    typename Fold::part part;
    fold_.add_items(part, window_, first, mine < run ? last : first, lane & (step - 1), step);
    item_ = behind;
    window_.release(bytes_of(behind));
    sum all = fold_.sum_of(part, window_.base());
    if (own) return all;
    join_lanes(all, step);
    return of_lane(all, (lane - done) << log2);
  }

  // Of the elements from here on, in every lane: whole stages by vectors, the rest by elements.
  ONEFOLD_DEVICE sum of_warp(int stop) {
    typename Fold::part part;
    const int end = bytes_of(stop);
    const bool any = item_ < stop;
    ONEFOLD_ROLLED
    while (item_ < stop) {
      const int at = bytes_of(item_), left = end - at, past = at % window_stage_bytes;
      if (past == 0 && left >= window_stage_bytes) {
        item_ = fold_.items_of(fold_.add_stages(part, window_, at, end));
        continue;
      }
      const int until = left <= short_bytes ? end : at - past + window_stage_bytes;
      window_.wait(until);
      fold_.add_items(part, window_, item_, fold_.items_of(until), int(lane_index()),
                      int(warp_lanes));
      item_ = fold_.items_of(until);
      window_.release(until);
    }
    sum all = fold_.sum_of(part, window_.base());
    if (any) join_lanes(all, int(warp_lanes));
    return all;
  }

  const segment_arguments& a_;
  const Fold& fold_;
  segment_window<Fold> window_;
  std::int64_t* digits_;
  std::int64_t segment_ = 0;
  int item_ = 0, last_ = 0;            ///< places: of the next element, behind the last one
  std::int64_t next_ = 0, later_ = 0;  ///< ends that were loaded ahead
  bool continued_ = false;
  unsigned found_ = 0;
};

}  // namespace onefold::cuda
