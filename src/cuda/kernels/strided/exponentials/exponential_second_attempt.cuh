// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of exponentials that plain sums leave ambiguous: by double words, and what those do
// not certify exactly.

#include "cuda/kernels/strided/exponentials/exponential_fallback.cuh"

namespace onefold::cuda {

/// Double words of the elements r, r + apart, … of answer k, of one piece, about the band of its
/// first element.
template <class Wide>
struct double_word_sum {
  double_exponentials sums;
  Wide middle = 0;

  ONEFOLD_DEVICE double_word_sum(const strided_request& request, std::int64_t k, std::int64_t r,
                                 std::int64_t apart) {
    const nest_piece piece(request, k);
    std::uint64_t raw, other;
    if (load_pair<false>(request, piece, piece.first, raw, other))
      middle = band_middle(wide_of<Wide>(raw, request.x_kind));
    ONEFOLD_UNROLL_BY_4
    for (r += piece.first; r < piece.last; r += apart) {
      if (!load_pair<false>(request, piece, r, raw, other)) continue;
      const Wide d = wide_of<Wide>(raw, request.x_kind) - middle;
      sums.add(exponential_of(within_reach(d)), d);
    }
  }
};

/// Additions of a lane of so many one after another, and of a tree of them.
ONEFOLD_DEVICE double second_additions(std::int64_t items, unsigned lanes) {
  return double(items) / lanes + 6;
}

/// Whether answer k was certified by double words of the warp, and so written.
template <class Wide>
ONEFOLD_COLD bool write_double_words(const strided_request& request, std::int64_t k) {
  double_word_sum<Wide> all(request, k, lane_index(), warp_lanes);
  join_group(all.sums, warp_lanes);
  const exponential_answers answers(request.items, second_additions(request.items, warp_lanes));
  const bool certified = answers.write(all.sums, double(all.middle), request.x_kind.type,
                                       request.finish, request.first_output + k, lane_index() == 0);
  return !any_lane(!certified);
}

/// The same of a lane alone.
template <class Wide>
ONEFOLD_COLD bool write_double_words_of_lane(const strided_request& request, std::int64_t k) {
  const double_word_sum<Wide> all(request, k, 0, 1);
  const exponential_answers answers(request.items, second_additions(request.items, 1));
  return answers.write(all.sums, double(all.middle), request.x_kind.type, request.finish,
                       request.first_output + k, true);
}

/// Answer k, of one piece. own: shared memory of the warp, of exponential_space_words.
template <class Wide>
ONEFOLD_DEVICE void finish_logarithm(const strided_request& request, std::int64_t k,
                                     std::int64_t* own) {
  __syncwarp();  // another lane may have written some answers
  if (!write_double_words<Wide>(request, k)) finish_exactly<Wide>(request, k, own);
}

/// Whether lanes take so many answers of a warp, one each, sooner than the warp one after another.
ONEFOLD_DEVICE bool suits_lanes_of(std::int64_t items, unsigned count) {
  return items <= 128 && items < 8 * std::int64_t(count);
}

/// Answers from + noted[i], i < count, which change. noted: shared memory of the warp.
template <class Wide>
ONEFOLD_COLD void finish_noted_logarithms(const strided_request& request, std::int64_t from,
                                          int* noted, unsigned count, std::int64_t* own) {
  __syncwarp();
  const bool by_lanes = suits_lanes_of(request.items, count);
  ONEFOLD_ROLLED
  for (unsigned base = 0; base < count; base += by_lanes ? warp_lanes : 1) {
    const bool there = base + lane_index() < count;
    const int own_answer = noted[by_lanes && there ? base + lane_index() : base];
    bool open = there && (by_lanes || lane_index() == 0);
    if (by_lanes && open) open = !write_double_words_of_lane<Wide>(request, from + own_answer);
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, open); left != 0; left &= left - 1) {
      const std::int64_t k = from + __shfl_sync(whole_warp, own_answer, __ffs(int(left)) - 1);
      if (by_lanes)
        __syncwarp(), finish_exactly<Wide>(request, k, own);
      else
        finish_logarithm<Wide>(request, k, own);
    }
  }
}

}  // namespace onefold::cuda
