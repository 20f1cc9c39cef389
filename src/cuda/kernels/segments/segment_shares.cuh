// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which lanes sum up which elements of a window. Where all of 32 segments are short, every lane has
// one. Others are dealt out in slots of 64 bytes, one a lane, 32 slots a round, so that no lane
// waits for a longer segment than its own. Long segments are reduced by the whole warp, one after
// another.

#include "cuda/kernels/segments/window.cuh"

namespace onefold::cuda {

template <class Fold>
class segment_shares {
 public:
  using part = typename Fold::part;

  ONEFOLD_DEVICE segment_shares(const segment_arguments& a, const Fold& fold, std::int64_t* words)
      : fold_(fold), window_(a, fold, words) {}

  /// Elements from … to - 1 are wanted, and follow each other in the calls below.
  ONEFOLD_DEVICE void open(std::int64_t from, std::int64_t to) {
    window_.open(from, to);
    item_ = int(from - window_.base());
  }
  ONEFOLD_DEVICE void close() const { window_.close(); }
  /// The element at place 0, and the place of the next one.
  ONEFOLD_DEVICE std::int64_t base() const { return window_.base(); }
  ONEFOLD_DEVICE int item() const { return item_; }

  /// Each lane's part, of segments in the first `count` lanes. Calls load_next() as soon as there
  /// are registers for what it loads.
  template <class LoadNext>
  ONEFOLD_DEVICE part parts_of(int count, int begin, int end, const LoadNext& load_next) {
    const int lane = int(lane_index());
    const int length = lane < count ? end - begin : 0;
    const int most = int(warp_max(unsigned(length)));
    const int behind = of_lane(end, count - 1);
    if (bytes_of(most) <= own_bytes && bytes_of(behind) <= window_.reach()) {
      load_next();
      return of_own(begin, begin + length, most, behind);
    }
    const unsigned long_segments = __ballot_sync(whole_warp, bytes_of(length) > long_segment_bytes);
    part partial;
    int done = 0;
    ONEFOLD_ROLLED
    while (done < count) {
      const unsigned left = long_segments >> done;
      const int run = left == 0 ? count - done : __ffs(int(left)) - 1;
      if (run > 0) {
        deal(partial, done, run, begin, end);
      } else {
        const part found = of_warp(of_lane(end, done));
        if (lane == done) partial = found;
      }
      done += max(run, 1);
    }
    load_next();
    return partial;
  }

  /// Of the elements from here on, in every lane: whole stages in a loop of their own.
  ONEFOLD_DEVICE part of_warp(int stop) {
    part all;
    const int end = bytes_of(stop);
    const bool any = item_ < stop;
    ONEFOLD_ROLLED
    while (item_ < stop) {
      const int at = bytes_of(item_), left = end - at, past = at % window_stage_bytes;
      if (past == 0 && left >= window_stage_bytes) {
        item_ = fold_.items_of(fold_.add_stages(all, window_, at, end));
        continue;
      }
      const int until = left <= short_bytes ? end : at - past + window_stage_bytes;
      window_.wait(until);
      fold_.add_items(all, window_, item_, fold_.items_of(until), int(lane_index()), lanes);
      item_ = fold_.items_of(until);
      window_.release(until);
    }
    ONEFOLD_ROLLED
    for (int mask = 1; any && mask < lanes; mask *= 2) all.join(sum_across(all, mask));
    return all;
  }

 private:
  static constexpr int lanes = int(warp_lanes);
  static constexpr int own_bytes = 272;  // of a segment that a lane sums up by itself, at most
  // The slots of a round are neighbours: 2 KiB, and the ring holds 3 ahead at least.
  static constexpr int slot_bytes = 16 * slot_vectors;
  static constexpr int long_segment_bytes = 4096;  // 5 KiB cost as much either way
  // Less is summed up in one go, though a stage of it may be whole.
  static constexpr int short_bytes = window_stage_bytes * 3 / 2;

  ONEFOLD_DEVICE static part part_of_lane(part part, int lane) {
    part.for_each_part([&](auto& word) { word = __shfl_sync(whole_warp, word, lane); });
    return part;
  }
  ONEFOLD_DEVICE int bytes_of(int items) const { return items * int(fold_.bytes()); }

  // A segment a lane, none of more than `most` elements.
  ONEFOLD_DEVICE part of_own(int begin, int end, int most, int behind) {
    window_.wait(bytes_of(behind));
    part partial;
    if (most <= Fold::few && !window_.wraps(bytes_of(item_), bytes_of(behind)))
      fold_.add_few(partial, window_, begin, end, most);
    else
      fold_.add_items(partial, window_, begin, end, 0, 1);
    item_ = behind;
    window_.release(bytes_of(behind));
    return partial;
  }

  // Segments of lanes done, done + 1 … Each has a slot at least, so that those of a round are
  // neighbours.
  ONEFOLD_DEVICE void deal(part& partial, int done, int run, int begin, int end) {
    const int lane = int(lane_index());
    const bool there = unsigned(lane - done) < unsigned(run);
    const int low = bytes_of(begin) & -16;
    const int slots =
        there ? int(max(unsigned(bytes_of(end) - low + slot_bytes - 1) / slot_bytes, 1u)) : 0;
    int behind = slots;
    ONEFOLD_UNROLL
    for (int apart = 1; apart < lanes; apart *= 2) {
      const int before = __shfl_up_sync(whole_warp, behind, unsigned(apart));
      if (lane >= apart) behind += before;
    }
    const int all = of_lane(behind, lanes - 1);
    ONEFOLD_ROLLED
    for (int base = 0; base < all; base += lanes) {
      const int first = behind - slots - base, last = behind - base;
      deal_round(partial, max(first, 0), min(last, lanes),
                 first >= 0 ? begin : fold_.items_of(low - first * slot_bytes),
                 last <= lanes ? end : fold_.items_of(low + (lanes - first) * slot_bytes));
    }
  }

  // The segment of this lane has slots first … last - 1 of a round, if any, and there elements
  // begin … end - 1.
  ONEFOLD_DEVICE void deal_round(part& partial, int first, int last, int begin, int end) {
    const int lane = int(lane_index());
    const bool has = first < last;
    const int eldest = __ffs(int(__ballot_sync(whole_warp, has))) - 1;
    const unsigned heads = warp_or(has ? 1u << first : 0u) & 0xFFFFFFFF >> (lanes - 1 - lane);
    const int owner = eldest + __popc(heads) - 1, head = lanes - 1 - __clz(int(heads));
    const int step = of_lane(last, owner) - head, turn = lane - head;
    const int from = of_lane(begin, owner), until = of_lane(end, owner);
    item_ = of_lane(until, lanes - 1);
    window_.wait(bytes_of(item_));
    const int own_until = turn < step ? until : from;
    const int longest = int(warp_max(unsigned(step)));
    typename Fold::slot slot;
    fold_.load_slot(slot, window_, from, own_until, turn, step);
    window_.release(bytes_of(item_));
    part found;
    fold_.add_slot(found, slot, from, own_until, turn, step);
    ONEFOLD_UNROLL
    for (int apart = 1; apart < lanes; apart *= 2) {
      if (apart >= longest) continue;
      part other = found;
      other.for_each_part(
          [&](auto& word) { word = __shfl_down_sync(whole_warp, word, unsigned(apart)); });
      if (turn + apart < step) found.join(other);
    }
    found = part_of_lane(found, first & (lanes - 1));
    if (has) partial.join(found);
  }

  const Fold& fold_;
  segment_window<Fold> window_;
  int item_ = 0;
};

}  // namespace onefold::cuda
