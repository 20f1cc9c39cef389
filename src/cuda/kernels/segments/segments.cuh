// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers of segments: a warp has a work range of elements and ends; segments that span work ranges
// are combined in the block, those that span blocks in the last block to reach them.

#include "cuda/kernels/segments/segment_warp.cuh"

namespace onefold::cuda {

inline constexpr unsigned segment_threads = 128;

/// Blocks of a multiprocessor: 64 registers, 80 for sums of three words, 128 for those of five.
template <class Fold>
inline constexpr int segment_blocks = Fold::sum::parts < 3   ? 8
                                      : Fold::sum::parts < 5 ? 6
                                                             : 4;

/// The segments that span work ranges of a block. Lane w has the segment that ends in the block's
/// work range w but began before it; the lane after those, the one that is open at the block's end.
template <class Fold>
class segment_joints {
 public:
  using sum = typename Fold::sum;
  using space = segment_space<Fold>;

  ONEFOLD_DEVICE segment_joints(const segment_arguments& a,
                                const segment_cut<Fold::takes_rows>& cut, const Fold& fold,
                                segment_warp<Fold>& warp, std::int64_t* shared)
      : a_(a), cut_(cut), fold_(fold), warp_(warp), shared_(shared),
        warps_(int(blockDim.x / warp_lanes)) {}

  /// Every lane of warp 0 calls it.
  ONEFOLD_DEVICE void join() {
    const int w = int(lane_index());
    const bool is_tail = w == warps_;
    const bool there = is_tail ? record(w - 1).open() : w < warps_ && ends_here(w);
    sum total = there && !is_tail ? record(w).head() : Fold::nothing();
    const bool from_before = there && add_tails(w, total);
    const std::int64_t k = !there ? 0 : is_tail ? record(w - 1).last() : record(w).first();
    write(there && !from_before && !is_tail, total, k);
    std::int64_t first = blockIdx.x, last = blockIdx.x;
    const bool in_chain = there && (from_before || is_tail);
    bool comes_last = false;
    if (in_chain) {
      if (from_before) first = block_at(cut_.weight_of(k));
      if (is_tail) last = block_at(cut_.weight_of(k + 1) - 1);
      Fold::settle(total);
      write_sum(total, partial(is_tail, blockIdx.x), gridDim.x);
      // Offsets that fall may name blocks that do not exist.
      const bool sound = first <= blockIdx.x && blockIdx.x <= last && last < gridDim.x;
      comes_last = sound && come_last(first, last - first);
    }
    __syncwarp();
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, comes_last); left != 0; left &= left - 1) {
      const int lane = __ffs(int(left)) - 1;
      fold_chain(of_lane(first, lane), of_lane(last, lane), of_lane(k, lane));
    }
  }

 private:
  ONEFOLD_DEVICE std::int64_t block_at(std::int64_t weight) const {
    return block_cut<Fold::is_sum>(a_, warps_).block_at(weight);
  }
  ONEFOLD_DEVICE range_record<sum> record(int w) const {
    return {shared_ + (w + 1) * space::words - range_record<sum>::words};
  }
  ONEFOLD_DEVICE bool ends_here(int w) const {
    return record(w).continued() && record(w).last() > record(w).first();
  }
  // Merges what the ranges before w have of its segment; whether it began before the block.
  ONEFOLD_DEVICE bool add_tails(int w, sum& to) const {
    ONEFOLD_ROLLED
    for (int i = w - 1; i >= 0; --i) {
      to.join(record(i).tail());
      if (!record(i).passes()) return false;
    }
    return true;
  }
  ONEFOLD_DEVICE void write(bool there, const sum& sum, std::int64_t k) {
    std::int64_t begin = 0, n = 0;
    unsigned said = 0;
    if (there) {
      begin = cut_.offset(k), n = cut_.offset(k + 1) - begin;
      said = fold_.write_rest(sum, n, k);
    }
    warp_.settle(said, begin, n, k);
  }

  ONEFOLD_DEVICE std::int64_t* partial(bool is_tail, std::int64_t block) const {
    return a_.partials + (is_tail ? sum::parts * std::int64_t(gridDim.x) : 0) + block;
  }
  // Blocks first … first + others have a share of a segment. The fences make the partials of those
  // that came before visible to the one that comes last, which leaves the ticket zero.
  ONEFOLD_DEVICE bool come_last(std::int64_t first, std::int64_t others) const {
    __threadfence();
    const bool last = atomicAdd(a_.tickets + first, 1u) == unsigned(others);
    __threadfence();
    if (last) a_.tickets[first] = 0;
    return last;
  }

  // The tails of blocks first … last - 1 and the head of the last one, in an order that depends on
  // nothing else.
  ONEFOLD_DEVICE void fold_chain(std::int64_t first, std::int64_t last, std::int64_t k) {
    constexpr int ahead = sum::parts > 3 ? 4 : 8;
    sum total = Fold::nothing();
    if (lane_index() == 0) total = read_sum<sum>(partial(false, last), gridDim.x);
    ONEFOLD_ROLLED
    for (std::int64_t block = first + lane_index(); block < last; block += ahead * warp_lanes) {
      sum parts[ahead];
      ONEFOLD_UNROLL
      for (int i = 0; i < ahead; ++i)
        if (block + i * int(warp_lanes) < last)
          parts[i] = read_sum<sum>(partial(true, block + i * int(warp_lanes)), gridDim.x);
      ONEFOLD_UNROLL
      for (int i = 0; i < ahead; ++i) total.join(parts[i]);
    }
    join_group(total, warp_lanes);
    write(lane_index() == 0, total, k);
  }

  const segment_arguments& a_;
  const segment_cut<Fold::takes_rows>& cut_;
  const Fold& fold_;
  segment_warp<Fold>& warp_;
  std::int64_t* shared_;
  int warps_;
};

/// Shape:  x[items], aligned to its elements; offsets[count + 1], any; out[count]; a grid whose
///         work ranges weigh at least as much as the elements and segments; blocks of up to
///         segment_threads, a multiple of 32; dynamic shared memory for segment_space a warp.
/// Error:  none: answers are rounded once. Offsets that fall or reach beyond x are found; nothing
///         outside of x is read then either.
/// Order:  none: the same bits in every run and grid.
template <class Fold>
__global__ void __launch_bounds__(segment_threads, segment_blocks<Fold>)
    segments_of(segment_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  using word = unsigned long long;
  word* const findings = reinterpret_cast<word*>(a.findings);
  const segment_cut<Fold::takes_rows> cut(a);
  if (!cut.ends_are_sound()) {
    if (blockIdx.x == 0 && threadIdx.x == 0) atomicOr(findings, word(offsets_are_wrong));
    return;
  }
  const block_cut<Fold::is_sum> blocks(a, int(warps));
  const std::int64_t all = cut.weight(), first = blocks.begin_of(blockIdx.x),
                     work_range = blocks.work_range_of(blockIdx.x);
  if (first >= all) return;
  segment_place from, to;
  const std::int64_t begin = min(first + warp * work_range, all);
  cut.find(begin, min(begin + work_range, all), from, to);
  const Fold fold(a);
  using space = segment_space<Fold>;
  std::int64_t* const own = shared + warp * space::words;
  using sum = typename Fold::sum;
  segment_warp<Fold> segments(a, fold, own);
  const range_record<sum> record = {own + space::words - range_record<sum>::words};
  if (!segments.take(from, to, record) && lane_index() == 0)
    atomicOr(findings, word(offsets_are_wrong));
  __syncthreads();
  if (warp == 0) segment_joints<Fold>(a, cut, fold, segments, shared).join();
  if (segments.found() != 0) atomicOr(findings, word(segments.found()));
}

}  // namespace onefold::cuda
