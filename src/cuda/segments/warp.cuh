// SPDX-License-Identifier: Apache-2.0
#pragma once
// A warp's stretch, tile after tile. In a tile every lane has the same number of elements, one
// behind the other: how long segments are, and in which order, changes nothing but the number of
// their ends.

#include "cuda/parts/bracket.cuh"
#include "cuda/segments/tile.cuh"

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

/// Shared memory of a warp, in words of 64 bits.
template <class Fold>
struct segment_room {
  static constexpr int parts = Fold::sum::parts;
  // Digits are written when the elements have been taken.
  static constexpr int stage = stage_words / 2 > Fold::digits ? stage_words / 2 : Fold::digits;
  static constexpr int slots = parts * Fold::most_ends, ends = Fold::most_ends / 2;
  static constexpr int words = stage + slots + ends + stretch_record<typename Fold::sum>::words;
};

template <class Fold>
class segment_warp {
 public:
  using sum = typename Fold::sum;
  using room = segment_room<Fold>;

  ONEFOLD_DEVICE segment_warp(const segment_arguments& a, const Fold& fold, std::int64_t* shared)
      : a_(a), fold_(fold), tile_(a, fold, reinterpret_cast<std::uint32_t*>(shared)),
        digits_(shared), slots_(shared + room::stage),
        ends_(reinterpret_cast<int*>(shared + room::stage + room::slots)) {}

  /// Writes the answers of segments that begin and end between two places; the rest is the record.
  /// False where offsets fall.
  ONEFOLD_DEVICE bool take(const segment_place& from, const segment_place& to,
                           const stretch_record<sum>& record) {
    segment_ = from.segment, begin_ = from.begin, item_ = from.item;
    continued_ = from.inside;
    const bool dense = (to.segment - from.segment) * tile_.items() > 32 * (to.item - from.item);
    bool fine = from.segment <= to.segment && from.item <= to.item;
    ONEFOLD_ROLLED
    while (fine && (segment_ < to.segment || item_ < to.item))
      fine = dense ? take_tile<4>(to, record) : take_tile<1>(to, record);
    gather();
    if (lane_index() == 0) {
      record.set(from.segment, fine ? to.segment : from.segment, fine && from.inside,
                 fine && to.inside);
      record.set_tail(mine_);
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
  static constexpr std::int64_t no_item = 0x7FFFFFFFFFFFFFFF;

  ONEFOLD_DEVICE static std::int64_t of_lane(std::int64_t word, int lane) {
    return __shfl_sync(whole_warp, static_cast<long long>(word), lane);
  }

  // Lane 0 gets what all lanes have of the segment that is under way.
  ONEFOLD_DEVICE void gather() {
    if (!spread_) return;
    ONEFOLD_ROLLED
    for (int mask = 1; mask < int(warp_lanes); mask *= 2) mine_.join(sum_across(mine_, mask));
    if (lane_index() != 0) mine_ = Fold::nothing();
    spread_ = false;
  }

  template <int Rounds>
  ONEFOLD_DEVICE bool take_tile(const segment_place& to, const stretch_record<sum>& record) {
    const std::int64_t base = tile_.base_of(item_);
    const int from = int(item_ - base);
    int until = int(min(to.item - base, std::int64_t(tile_.items())));
    uint4 v[tile_loads];
    tile_.load(base, from, until, v);
    const int limit = int(min(to.segment - segment_, std::int64_t(Fold::most_ends)));
    const int ends = stage_ends<Rounds>(base, until, limit);
    if (ends < 0 || (ends == 0 && from == until)) return false;
    if (ends == Fold::most_ends) until = ends_[ends - 1];
    if (ends == 0 && from == 0 && until == tile_.items())
      add_vectors(base, v);
    else
      share(base, from, until, ends, v, record);
    item_ = base + until, segment_ += ends;
    return true;
  }

  ONEFOLD_DEVICE void add_vectors(std::int64_t base, const uint4 (&v)[tile_loads]) {
    const int count = int(16 / fold_.bytes());
    ONEFOLD_UNROLL
    for (int i = 0; i < tile_loads; ++i)
      fold_.add_vector(mine_, v[i], base + (i * int(warp_lanes) + int(lane_index())) * count);
    spread_ = true;
  }

  // Where the next segments end, as far as they end in the tile, and at most `limit`: elements from
  // its base. Returns their number, -1 where offsets fall.
  template <int Rounds>
  ONEFOLD_DEVICE int stage_ends(std::int64_t base, int until, int limit) const {
    int found = 0, staged = 0;
    bool falls = false;
    std::int64_t last = begin_;
    ONEFOLD_ROLLED
    while (staged < limit && found == staged) {
      std::int64_t end[Rounds];
      ONEFOLD_UNROLL
      for (int i = 0; i < Rounds; ++i) {
        const int s = staged + i * int(warp_lanes) + int(lane_index());
        end[i] = s < limit ? a_.of.offsets[segment_ + 1 + s] : no_item;
      }
      ONEFOLD_UNROLL
      for (int i = 0; i < Rounds; ++i) {
        const std::int64_t below = __shfl_up_sync(whole_warp, static_cast<long long>(end[i]), 1);
        falls |= end[i] < (lane_index() == 0 ? last : below);
        last = of_lane(end[i], int(warp_lanes) - 1);
        ends_[staged + i * int(warp_lanes) + int(lane_index())] =
            int(min(max(end[i], base), base + tile_bytes + 1) - base);
        found += count_lanes(end[i] <= base + until);
      }
      staged += Rounds * int(warp_lanes);
    }
    __syncwarp();
    return any_lane(falls) ? -1 : found;
  }

  // Of the ends of a tile: those at or before an element.
  ONEFOLD_DEVICE int ends_up_to(int item, int ends) const {
    int low = 0, high = ends;
    ONEFOLD_ROLLED
    while (low < high) {
      const int middle = (low + high) / 2;
      if (ends_[middle] <= item)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  // Elements and ends of this lane in their order: an end belongs to the lane of the element before
  // it. `open` is what is under way, before and after. Returns the next end.
  ONEFOLD_DEVICE int take_lane(std::int64_t base, int from, int until, int ends, int next,
                               sum& open) const {
    const int count = tile_.lane_items(), first = int(lane_index()) * count, last = first + count;
    const int stop = min(last, until);
    int i = max(first, from);
    int end = next < ends ? ends_[next] : tile_bytes + 1;
    ONEFOLD_ROLLED
    while (i < stop || end <= last) {
      if (end <= i) {
        write_sum(open, slots_ + next, Fold::most_ends);
        open = Fold::nothing();
        ++next;
        end = next < ends ? ends_[next] : tile_bytes + 1;
      }
      if (i < stop && i < end) {
        fold_.add(open, tile_.element(i - first), base + i);
        ++i;
      }
    }
    return next;
  }

  ONEFOLD_DEVICE int take(std::int64_t base, int from, int until, int ends, int next,
                          sum& open) const {
    if constexpr (Fold::is_typed)
      if (from == 0 && until == tile_.items()) return take_whole_lane(base, ends, next, open);
    return take_lane(base, from, until, ends, next, open);
  }

  // The same in a tile that is whole, unrolled: `end` is compared, not the number of the element.
  // Segments of nothing get no sum.
  ONEFOLD_DEVICE int take_whole_lane(std::int64_t base, int ends, int next, sum& open) const {
    constexpr int count = lane_bytes / int(Fold::bytes()), group = count < 16 ? count : 16;
    const int first = int(lane_index()) * count;
    const auto end_from = [&](int item) { return next < ends ? ends_[next] - item : tile_bytes; };
    const auto close = [&] {
      write_sum(open, slots_ + next, Fold::most_ends);
      open = Fold::nothing();
      ++next;
    };
    int end = end_from(first);
    for (; end <= 0; end = end_from(first)) close();  // in lane 0: what ended before the tile
    ONEFOLD_ROLLED
    for (int begin = 0; begin < count; begin += group, end -= group) {
      ONEFOLD_UNROLL
      for (int i = 0; i < group; ++i) {
        fold_.add(open, tile_.element(begin + i), base + first + begin + i);
        if (end != i + 1) continue;
        close();
        for (end = end_from(first + begin); end == i + 1; end = end_from(first + begin)) ++next;
      }
    }
    return next;
  }

  // A lane's sum becomes that of all lanes from the last end on, up to it.
  ONEFOLD_DEVICE static void scan(sum& of, bool ended) {
    ONEFOLD_ROLLED
    for (int step = 1; step < int(warp_lanes); step *= 2) {
      sum below = sum_below(of, step);
      const bool below_ended = __shfl_up_sync(whole_warp, int(ended), unsigned(step)) != 0;
      if (int(lane_index()) < step || ended) continue;
      of.join(below);
      ended = below_ended;
    }
  }
  ONEFOLD_DEVICE static sum sum_below(sum of, int step) {
    of.for_each_part([&](auto& part) { part = __shfl_up_sync(whole_warp, part, unsigned(step)); });
    return of;
  }

  ONEFOLD_DEVICE void share(std::int64_t base, int from, int until, int ends,
                            const uint4 (&v)[tile_loads], const stretch_record<sum>& record) {
    gather();
    tile_.put(v);
    __syncwarp();
    sum open = mine_;
    const int first = int(lane_index()) * tile_.lane_items();
    const int mine = lane_index() == 0 ? 0 : ends_up_to(first, ends);
    const bool ended = take(base, from, until, ends, mine, open) > mine;
    scan(open, ended);
    const sum before = sum_below(open, 1);
    if (ended && lane_index() != 0) {
      sum whole = read_sum<sum>(slots_ + mine, Fold::most_ends);
      whole.join(before);
      write_sum(whole, slots_ + mine, Fold::most_ends);
    }
    open.for_each_part(
        [&](auto& part) { part = __shfl_sync(whole_warp, part, int(warp_lanes) - 1); });
    mine_ = lane_index() == 0 ? open : Fold::nothing();
    __syncwarp();
    finish(base, ends, record);
  }

  ONEFOLD_DEVICE void finish(std::int64_t base, int ends, const stretch_record<sum>& record) {
    ONEFOLD_ROLLED
    for (int first = 0; first < ends; first += int(warp_lanes)) {
      const int s = first + int(lane_index());
      std::int64_t begin = begin_, n = 0;
      unsigned said = 0;
      if (s < ends) {
        if (s > 0) begin = base + ends_[s - 1];
        n = base + ends_[s] - begin;
        sum of = Fold::nothing();
        if (n > 0 || s == 0) of = read_sum<sum>(slots_ + s, Fold::most_ends);
        if (s == 0 && continued_)
          record.set_head(of);
        else
          said = fold_.write(of, n, segment_ + s);
      }
      settle(said, begin, n, segment_ + s);
    }
    if (ends > 0) begin_ = base + ends_[ends - 1], continued_ = false;
    __syncwarp();
  }

  const segment_arguments& a_;
  const Fold& fold_;
  segment_tile<Fold> tile_;
  std::int64_t *digits_, *slots_;
  int* ends_;
  std::int64_t segment_ = 0, begin_ = 0, item_ = 0;
  sum mine_ = Fold::nothing();  ///< of the segment under way; of lanes but 0 nothing, unless spread
  bool spread_ = false, continued_ = false;
  unsigned found_ = 0;
};

}  // namespace onefold::cuda
