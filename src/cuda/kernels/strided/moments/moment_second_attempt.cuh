// SPDX-License-Identifier: Apache-2.0
#pragma once
// The second attempt at an answer that the interval of quick_moments.cuh leaves ambiguous: sums of
// the elements and of their squares as double words (accumulators/double_word_moments.cuh), by a
// warp or a lane.

#include "cuda/accumulators/double_word_moments.cuh"
#include "cuda/kernels/strided/nest.cuh"
#include "cuda/rounding/quick_moments.cuh"

namespace onefold::cuda {

/// Whether double words can certify the answers of a request: else reading its elements is in vain.
ONEFOLD_DEVICE bool suits_double_words(const strided_request& request) {
  bool suits = request.mask == nullptr && request.items > request.finish.correction;
  ONEFOLD_ROLLED
  for (int i = 0; i < request.finish.size; ++i) {
    const finish_item& item = request.finish.answers[i];
    suits = suits && item.type != dtype::f64 && item.op != op::sumsq && item.op != op::norm2;
  }
  return suits;
}

/// Whether all that is asked of answer k is certified, and then written by the lane that `writes`.
ONEFOLD_DEVICE bool write_certified(const strided_request& request, const double_word_moments& sums,
                                    std::int64_t k, bool writes) {
  const double n = double(request.items),
               freedom = double(request.items - request.finish.correction);
  const pair_sum w = sums.scaled_variance(n);
  if (w.u - w.u != 0 || w.minus_d - w.minus_d != 0) return false;
  const double low = fmax(__dadd_rd(w.s, -w.minus_d), 0.0), high = __dadd_ru(w.s, w.u);
  bool certified = true;
  ONEFOLD_ROLLED
  for (int i = 0; certified && i < request.finish.size; ++i) {
    const finish_item& item = request.finish.answers[i];
    double from, to;
    if (item.op == op::var || item.op == op::stddev) {
      from = __ddiv_rd(low, __dmul_ru(n, freedom)), to = __ddiv_ru(high, __dmul_rd(n, freedom));
      if (item.op == op::stddev) from = __dsqrt_rd(from), to = __dsqrt_ru(to);
    } else {  // sum, mean
      from = __dadd_rd(sums.all.s, -sums.all.minus_d), to = __dadd_ru(sums.all.s, sums.all.u);
      if (item.op == op::mean) from = __ddiv_rd(from, n), to = __ddiv_ru(to, n);
      if (from == 0 || to == 0) return false;  // the sign of a zero is that of the terms
    }
    certified = quick_moments::write_ends(from, to, item, request.first_output + k, writes);
  }
  return certified;
}

/// Whether all that is asked of answer k was certified, and so written. Every lane calls it.
/// Precondition: suits_double_words.
ONEFOLD_COLD inline bool write_double_word_moments(const strided_request& request, std::int64_t k) {
  constexpr int loads = 4;
  const nest_piece piece(request, k);
  double_word_moments sums;
  ONEFOLD_ROLLED
  for (std::int64_t base = piece.first; base < piece.last; base += loads * warp_lanes) {
    std::uint64_t x[loads], y;
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i)
      load_pair<false>(request, piece, base + i * warp_lanes + lane_index(), x[i], y);
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i)  // 0 where there is no element
      sums.add(double(detail::from_bits<float>(bits_as<float>(x[i], request.x_kind))));
  }
  sums.fold(warp_lanes);
  return write_certified(request, sums, k, lane_index() == 0);
}

/// The same of a row of this lane alone.
ONEFOLD_COLD inline bool write_double_words_of_lane(const strided_request& request,
                                                    std::int64_t k) {
  const nest_piece piece(request, k);
  double_word_moments sums;
  ONEFOLD_ROLLED
  for (std::int64_t i = piece.first; i < piece.last; ++i) {
    std::uint64_t x, y;
    load_pair<false>(request, piece, i, x, y);
    sums.add(double(detail::from_bits<float>(bits_as<float>(x, request.x_kind))));
  }
  return write_certified(request, sums, k, true);
}

/// Whether lanes take so many answers of a warp, one each, sooner than the warp one after another:
/// a lane waits for each element, a warp about as long for all of them.
ONEFOLD_DEVICE bool suits_lanes(std::int64_t items, unsigned count) {
  return items <= 128 && items < 8 * std::int64_t(count);
}

/// The same of answers from + noted[i], i < count, a lane each. What is left is noted first;
/// returns how much that is.
ONEFOLD_COLD inline unsigned certify_short_rows(const strided_request& request, std::int64_t from,
                                                int* noted, unsigned count) {
  unsigned left = 0;
  ONEFOLD_ROLLED
  for (unsigned base = 0; base < count; base += warp_lanes) {
    const bool there = base + lane_index() < count;
    const int own = noted[there ? base + lane_index() : base];
    const bool open = there && !write_double_words_of_lane(request, from + own);
    const unsigned ambiguous = __ballot_sync(whole_warp, open);
    __syncwarp();  // a vote orders no memory
    if (open) noted[left + __popc(ambiguous & ((1u << lane_index()) - 1))] = own;
    left += __popc(ambiguous);
    __syncwarp();
  }
  return left;
}

}  // namespace onefold::cuda
