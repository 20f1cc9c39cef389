// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of segments, which have the order of a segment's own elements: a warp has the chunks
// that begin in its stretch, and takes each whole, also where it reaches beyond.

#include "cuda/many/fast/answer.cuh"
#include "cuda/segments/fast/chunks.cuh"
#include "cuda/segments/fast/sums.cuh"

namespace onefold::cuda {

/// A warp's stretch, 32 segments at a time: lane i has the one that is i behind the first.
template <class T>
class fast_stretch {
 public:
  using number = fast_number<T>;

  ONEFOLD_DEVICE fast_stretch(const segment_arguments& a, family what)
      : a_(a), sums_(a.of.x, what), low_(place_of(0)), high_(place_of(a.of.count)) {}

  /// Writes the answers of segments of one chunk; false where offsets fall. Of others it leaves
  /// chunks, or the answer where it came last.
  ONEFOLD_DEVICE bool take(const segment_place& from, const segment_place& to) const {
    const std::int64_t end = to.segment + to.inside;
    // Of sound offsets no two places are further apart than their weights.
    if (from.segment > to.segment || to.segment - from.segment > a_.stretch) return false;
    ONEFOLD_ROLLED
    for (std::int64_t base = from.segment; base < end; base += lanes) {
      const std::int64_t k = base + lane_index();
      const bool here = k < end;
      const std::int64_t begin = here ? place_of(k) : low_, behind = here ? place_of(k + 1) : low_;
      if (any_lane(begin < low_ || behind < begin || high_ < behind)) return false;
      const std::int64_t n = behind - begin, all = chunks_of(n);
      const std::int64_t first =
          k == from.segment && from.inside ? chunks_of(from.item - begin) : 0;
      const std::int64_t last = k == to.segment ? chunks_of(to.item - begin) : all;
      const bool single = here && all == 1 && first == 0;
      const number sum = sum_of_singles(single, begin, int(n));
      if (single) write(sum, n, k);
      take_chunks(here && all > 1 ? last - first : 0, first, begin, n, k);
    }
    return true;
  }

 private:
  using neighbours = fast_neighbours<T>;
  static constexpr int lanes = int(warp_lanes);

  ONEFOLD_DEVICE std::int64_t place_of(std::int64_t k) const { return begin_of<true>(a_.of, k); }
  ONEFOLD_DEVICE void write(number sum, std::int64_t n, std::int64_t k) const {
    answer_form form = a_.form;
    form.n = n;
    write_fast(n == 0 ? number(0) : sum, form, a_.of.out, k);
  }

  // Of this lane's segment of one chunk, if it is `there`.
  ONEFOLD_DEVICE number sum_of_singles(bool there, std::int64_t begin, int n) const {
    const bool few = there && n <= neighbours::lane_items;
    const bool many = there && n > neighbours::group_items;
    number sum = sum_of_few(begin, few ? n : 0);
    if (any_lane(there && !few && !many)) sum_by_groups(sum, begin, few || many || !there ? 0 : n);
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, many); left != 0; left &= left - 1) {
      const int owner = __ffs(int(left)) - 1;
      const number found = sums_.sum_of_chunk(of_lane(begin, owner), of_lane(n, owner));
      if (int(lane_index()) == owner) sum = found;
    }
    return sum;
  }
  ONEFOLD_DEVICE number sum_of_few(std::int64_t begin, int n) const {
    const unsigned most = warp_max(unsigned(n));
    if (most <= 2) return sums_.template sum_of_few<2>(begin, n);
    if (most <= 4) return sums_.template sum_of_few<4>(begin, n);
    if (most <= 8) return sums_.template sum_of_few<8>(begin, n);
    return sums_.template sum_of_few<neighbours::lane_items>(begin, n);
  }
  // Each group sums up the segments of its lanes, one after another; n = 0: not this one.
  ONEFOLD_DEVICE void sum_by_groups(number& sum, std::int64_t begin, int n) const {
    constexpr int width = neighbours::group_lanes;
    const int place = int(lane_index()) % width, group = int(lane_index()) - place;
    ONEFOLD_ROLLED
    for (int i = 0; i < width; ++i) {
      const int own = of_lane(n, group + i), most = int(warp_max(unsigned(own)));
      if (most == 0) continue;
      const number found = sums_.sum_of_group(of_lane(begin, group + i), own, most);
      if (place == i && own > 0) sum = found;
    }
  }

  // Chunks first, first + 1 … of a lane's segment, `count` of them.
  ONEFOLD_DEVICE void take_chunks(std::int64_t count, std::int64_t first, std::int64_t begin,
                                  std::int64_t n, std::int64_t k) const {
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, count > 0); left != 0; left &= left - 1) {
      const int owner = __ffs(int(left)) - 1;
      const std::int64_t from = of_lane(begin, owner), all = of_lane(n, owner);
      const std::int64_t segment = of_lane(k, owner), chunk = of_lane(first, owner);
      ONEFOLD_ROLLED
      for (std::int64_t i = 0; i < of_lane(count, owner); ++i)
        take_chunk(chunk + i, from, all, segment);
    }
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
  std::int64_t low_, high_;
};

/// Warps of a multiprocessor: 64 registers, of f64 80.
template <class T>
inline constexpr int fast_segment_warps = sizeof(T) == 8 ? 24 : 32;

/// Elements of 16 bits: f16, or, where the input says so, bf16.
template <class T>
ONEFOLD_DEVICE bool take_fast(const segment_arguments& a, family what, const segment_place& from,
                              const segment_place& to) {
  if constexpr (std::is_same_v<T, f16>)
    if (a.kind.type == dtype::bf16) return fast_stretch<bf16>(a, what).take(from, to);
  return fast_stretch<T>(a, what).take(from, to);
}

/// Shape:  as segments_of, or rows without offsets; but for blocks of one warp without dynamic
/// shared memory, and a ticket
///         and two partials for every 65536 elements begun and one more. what: total, magnitudes,
///         squares.
/// Error:  docs/numerics/fast.md, Theorem F2. Offsets as in segments_of.
/// Order:  the CPU's: the same bits in every run and grid.
template <class T>
__global__ void __launch_bounds__(warp_lanes, fast_segment_warps<T>)
    fast_segments(segment_arguments a, family what) {
  const segment_cut<true> cut(a);
  const std::int64_t all = cut.weight(), first = blockIdx.x * a.stretch;
  bool sound = cut.ends_are_sound();
  if (sound && first < all) {
    segment_place from, to;
    cut.find(first, min(first + a.stretch, all), from, to);
    sound = take_fast<T>(a, what, from, to);
  }
  using word = unsigned long long;
  if (!sound && lane_index() == 0)
    atomicOr(reinterpret_cast<word*>(a.findings), word(offsets_are_wrong));
}

}  // namespace onefold::cuda
