// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of segments, which have the order of a segment's own elements: a warp has the chunks
// that begin in its work range, and takes each whole, also where it reaches beyond.

#include "cuda/many/fast/answer.cuh"
#include "cuda/segments/fast/chunks.cuh"
#include "cuda/segments/fast/sums.cuh"

namespace onefold::cuda {

/// A warp's work range, 32 segments at a time: lane i has the one that is i after the first.
template <class T, accumulator Of>
class fast_work_range {
 public:
  using number = fast_number<T>;

  ONEFOLD_DEVICE fast_work_range(const segment_arguments& a, accumulator what, std::int64_t* words,
                                 const segment_place& from)
      : a_(a), sums_(a.of, what), window_(a.of, from.item, words), origin_(from.item),
        first_(from.segment + from.inside), plain_(is_plain(a)),
        most_of_lane_(a.of.offsets == nullptr ? neighbours::lane_items / 2
                                              : neighbours::lane_items) {}

  /// Writes the answers of segments of one chunk; false where offsets fall. Of others it leaves
  /// chunks, or the answer where it came last.
  ONEFOLD_DEVICE bool take(const segment_place& from, const segment_place& to) {
    const std::int64_t all = to.segment + to.inside - first_;
    // Of sound offsets no two places are further apart than their weights.
    if (from.segment > to.segment || all > a_.work_range || to.item < from.item ||
        to.item - from.item > a_.work_range)
      return false;
    int long_ones = 0;
    ONEFOLD_ROLLED
    for (int i = 0, open = batch; i < int(all);) {
      if (open > 0) open = open_window(i, int(all));
      const int end = min(int(all), i + max(open, lanes));
      ONEFOLD_ROLLED
      for (; i < end; i += lanes)
        if (!take_some(i, min(end, i + lanes), open > 0, long_ones)) return false;
      i = end;
    }
    return take_long_ones(from, to, long_ones);
  }

 private:
  using neighbours = fast_neighbours<T, Of>;
  static constexpr int lanes = int(warp_lanes), groups = lanes / neighbours::group_lanes;
  static constexpr int batch = 8 * lanes;  // segments of which elements are copied at once

  ONEFOLD_DEVICE static bool is_plain(const segment_arguments& a) {
    return a.form.what == answer_form::kind::sum && a.form.output == dtype_of<T>;
  }
  ONEFOLD_DEVICE std::int64_t begin_of_segment(std::int64_t k) const {
    return begin_of<true>(a_.of, k);
  }
  // Counted from the work range's first element.
  ONEFOLD_DEVICE std::int64_t place_of(int i) const {
    return begin_of_segment(first_ + i) - origin_;
  }
  ONEFOLD_DEVICE std::int64_t last_place() const { return begin_of_segment(a_.of.count) - origin_; }
  ONEFOLD_DEVICE void write(number sum, std::int64_t n, std::int64_t k) const {
    if (n == 0) sum = 0;
    if (plain_)
      write_fast_sum<T>(sum, a_.of.out, k);
    else
      write_fast_rarely(sum, a_.form.what, a_.form.output, n, a_.of.out, k);
  }

  // How many segments there are, from i on, all of whose elements are in the window: those before
  // `end`, or up to `batch` by `lanes`, or none. Each lane looks at two offsets, so that of every
  // 32 bytes of them one was asked for by the time that elements are there.
  ONEFOLD_DEVICE int open_window(int i, int end) {
    constexpr int apart = batch / lanes;
    const int own = min(i + apart * (int(lane_index()) + 1), end);
    const std::int64_t low = place_of(i), high = place_of(own);
    const std::int64_t middle = place_of(max(own - apart / 2, i));
    if (any_lane(middle < low || high < middle) || low < 0 || low > a_.work_range) return 0;
    const bool fits = high - low <= fast_window<T>::items && high <= last_place();
    const unsigned others = __ballot_sync(whole_warp, !fits);
    constexpr int step = lanes / apart;
    const int looked_at = others == 0 ? lanes : (__ffs(int(others)) - 1) / step * step;
    if (looked_at == 0) return 0;
    low_ = int(low), high_ = int(of_lane(high, looked_at - 1));
    window_.open(low_, high_);
    return min(looked_at * apart, end - i);
  }
  // The answers of those of one chunk among at most 32, and how many are longer; open: their
  // elements are in the window. False where offsets fall.
  ONEFOLD_DEVICE bool take_some(int i, int end, bool open, int& long_ones) {
    const int own = i + int(lane_index());
    const bool here = own < end;
    std::int64_t begin = open ? low_ : 0, n = 0;
    if (here) begin = place_of(own), n = place_of(own + 1) - begin;
    const std::int64_t low = open ? low_ : 0, high = open ? high_ : last_place();
    if (any_lane(begin < low || begin > a_.work_range || n < 0 || high - begin < n)) return false;
    const bool single = here && n <= segment_chunk;
    const int place = int(begin), length = single ? int(n) : 0;
    const number sum =
        open ? sum_of_window(single, place, length) : sum_of_singles(single, place, length);
    if (single) write(sum, length, first_ + own);
    long_ones += count_lanes(here && !single);
    return true;
  }

  // Of this lane's segment of one chunk, if it is `there`: by windows, but long ones by the warp.
  ONEFOLD_DEVICE number sum_of_singles(bool there, int begin, int n) {
    number sum = 0;
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, there); left != 0;) {
      const int owner = __ffs(int(left)) - 1, from = of_lane(begin, owner);
      const bool fits =
          there && n <= neighbours::group_items && begin - from + n <= fast_window<T>::items;
      const unsigned run = run_from(owner, __ballot_sync(whole_warp, fits));
      left &= ~(run | 1u << owner);
      if (run == 0) {
        const number found = sums_.sum_of_chunk(origin_ + from, of_lane(n, owner));
        if (int(lane_index()) == owner) sum = found;
        continue;
      }
      window_.open(from, of_lane(begin + n, 31 - __clz(int(run))));
      const bool mine = (run >> lane_index() & 1) != 0;
      const number found = sum_of_window(mine, begin, n);
      if (mine) sum = found;
    }
    return sum;
  }
  // The bits of lane `first` and of those after it, up to one that is not set.
  ONEFOLD_DEVICE static unsigned run_from(int first, unsigned bits) {
    const unsigned from = ~0u << first, ends = ~bits & from;
    return from & (ends == 0 ? ~0u : (ends & (0 - ends)) - 1);
  }

  // Of this lane's elements from a place of the window on, if it is `there`.
  ONEFOLD_DEVICE number sum_of_window(bool there, int place, int n) const {
    const bool few = there && n <= most_of_lane_;
    const int byte = window_.byte_of(place);
    number sum = sum_of_few(byte, few ? n : 0);
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, there && !few); left != 0;)
      left = sum_by_groups(sum, left, byte, n);
    return sum;
  }
  ONEFOLD_DEVICE number sum_of_few(int byte, int n) const {
    const unsigned most = warp_max(unsigned(n));
    if (most <= 2) return sums_.template sum_of_few<2>(window_, byte, n, int(most));
    if (most <= 4) return sums_.template sum_of_few<4>(window_, byte, n, int(most));
    if (most <= 8) return sums_.template sum_of_few<8>(window_, byte, n, int(most));
    return sums_.template sum_of_few<16>(window_, byte, n, int(most));
  }
  // Each group takes the segment of one of the first lanes that are left; returns the others.
  ONEFOLD_DEVICE unsigned sum_by_groups(number& sum, unsigned left, int byte, int n) const {
    const int group = int(lane_index()) / neighbours::group_lanes;
    unsigned own = left, others = left;
    ONEFOLD_UNROLL
    for (int i = 0; i < groups; ++i) {
      if (i == group) own = others;
      others &= others - 1;
    }
    const int owner = (__ffs(int(own)) - 1) & (lanes - 1), length = of_lane(n, owner);
    const int taken = own == 0 ? 0 : length;
    const number found =
        sums_.sum_of_group(window_, of_lane(byte, owner), taken, int(warp_max(unsigned(taken))));
    const int rank = __popc(left & ((1u << lane_index()) - 1));
    const number mine = of_lane(found, rank % groups * neighbours::group_lanes);
    if (((left & ~others) >> lane_index() & 1) != 0) sum = mine;
    return others;
  }

  // Segments of several chunks: the one that began before, and so many others.
  ONEFOLD_DEVICE bool take_long_ones(const segment_place& from, const segment_place& to,
                                     int others) const {
    bool inside = from.inside;
    ONEFOLD_ROLLED
    for (std::int64_t behind = to.segment + to.inside; inside || others > 0;) {
      const std::int64_t k = inside ? from.segment : --behind;
      const std::int64_t begin = begin_of_segment(k), n = begin_of_segment(k + 1) - begin;
      const std::int64_t low = begin_of_segment(0), high = begin_of_segment(a_.of.count);
      if (begin < low || n < 0 || high - begin < n) return false;
      const bool ends = k == to.segment;
      if (n > segment_chunk)
        take_chunks(inside ? chunks_of(from.item - begin) : 0,
                    ends ? chunks_of(to.item - begin) : chunks_of(n), begin, n, k);
      others -= !inside && n > segment_chunk;
      inside = false;
    }
    return true;
  }
  // Chunks c … end - 1 of a segment.
  ONEFOLD_DEVICE void take_chunks(std::int64_t c, std::int64_t end, std::int64_t begin,
                                  std::int64_t n, std::int64_t k) const {
    ONEFOLD_ROLLED
    for (; c < end; ++c) take_chunk(c, begin, n, k);
  }
  ONEFOLD_DEVICE void take_chunk(std::int64_t c, std::int64_t begin, std::int64_t n,
                                 std::int64_t k) const {
    const std::int64_t before = c * segment_chunk;
    const number sum = sums_.sum_of_chunk(begin + before, int(min(n - before, segment_chunk)));
    const waiting_chunks chunks(a_, begin, n);
    bool came_last = false;
    if (lane_index() == 0) came_last = chunks.leave(c, word_of_number(sum));
    if (!any_lane(came_last)) return;
    __syncwarp();  // the fences of lane 0 are those of all
    const number whole = tree_of_chunks<number>(chunks);
    if (lane_index() == 0) write(whole, n, k);
  }

  const segment_arguments& a_;
  neighbours sums_;
  fast_window<T> window_;
  std::int64_t origin_, first_;  // the range's first element; the first segment that begins in it
  bool plain_;
  // Elements that a lane takes alone. Those of rows lie in few banks: 32 of 16 bits in two.
  int most_of_lane_;
  int low_ = 0, high_ = 0;  // places that the window holds of several
};

/// Warps of a multiprocessor: 64 registers, of others than f32 80.
template <class T>
inline constexpr int fast_segment_warps = sizeof(T) == 4 ? 32 : 24;

/// Elements of 16 bits: f16, or, where the input says so, bf16.
template <class T, accumulator Of>
ONEFOLD_DEVICE bool take_fast(const segment_arguments& a, accumulator what, std::int64_t* words,
                              const segment_place& from, const segment_place& to) {
  if constexpr (std::is_same_v<T, f16>)
    if (a.kind.type == dtype::bf16)
      return fast_work_range<bf16, Of>(a, what, words, from).take(from, to);
  return fast_work_range<T, Of>(a, what, words, from).take(from, to);
}

/// Shape:  as segments_of, or rows without offsets; but for blocks of one warp without dynamic
///         shared memory, and a ticket and two partials for every 65536 elements begun and one
///         more. what: total, magnitudes, squares.
/// Error:  docs/numerics/fast.md, Theorem F2. Offsets as in segments_of.
/// Order:  the CPU's: the same bits in every run and grid.
template <class T>
__global__ void __launch_bounds__(warp_lanes, fast_segment_warps<T>)
    fast_segments(segment_arguments a, accumulator what) {
  __shared__ fast_window_memory memory;
  const segment_cut<true> cut(a);
  const std::int64_t all = cut.weight(), first = blockIdx.x * a.work_range;
  bool sound = cut.ends_are_sound();
  if (sound && first < all) {
    segment_place from, to;
    cut.find(first, min(first + a.work_range, all), from, to);
    sound = what == accumulator::total
                ? take_fast<T, accumulator::total>(a, what, memory.words, from, to)
                : take_fast<T, accumulator::squares>(a, what, memory.words, from, to);
  }
  using word = unsigned long long;
  if (!sound && lane_index() == 0)
    atomicOr(reinterpret_cast<word*>(a.findings), word(offsets_are_wrong));
}

}  // namespace onefold::cuda
