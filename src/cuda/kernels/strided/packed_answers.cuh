// SPDX-License-Identifier: Apache-2.0
#pragma once
// Contiguous rows of which a vector of 16 bytes holds several: whole vectors go straight to
// registers (loaders/packed_rows.cuh), and the answers of a vector are written as one.

#include "cuda/kernels/strided/nest.cuh"
#include "cuda/kernels/strided/strided_rows.hpp"
#include "cuda/loaders/packed_rows.cuh"

namespace onefold::cuda {

/// All rows of a warp, as many of a vector as there are Row, where are_packed(rows):
/// answers.round<Row>(vector, bits) is the answer of row Row, and whether it is certified. Others
/// are for finish(first, rows, ambiguous): bit i of `ambiguous` is row i % rows of the lane's i /
/// rows-th vector, and `first` is the first row of its first one.
template <class T, class Answers, class Finish, int... Row>
ONEFOLD_DEVICE void reduce_packed_rows(const strided_request& request, const strided_rows& rows,
                                       const Answers& answers, const Finish& finish,
                                       std::integer_sequence<int, Row...>) {
  using bits = typename detail::float_format<T>::bits;
  constexpr int of_a_vector = int(sizeof...(Row)), ahead = packed_ahead<T>;
  static_assert(ahead * of_a_vector <= 32);
  using words = packed_words<bits, of_a_vector>;
  void* const out = request.finish.answers[0].to;
  const packed_vectors<of_a_vector, ahead> all(request.x, rows.count);
  const std::int64_t warp = blockIdx.x * row_tile_warps + threadIdx.x / warp_lanes;
  const std::int64_t apart = std::int64_t(gridDim.x) * row_tile_warps * all.step;
  std::int64_t first = warp * all.step;
  ONEFOLD_ROLLED
  while (all.has(first)) {
    unsigned ambiguous = 0;
    first = all.take(
        first, apart,
        [&](const uint4& v, std::int64_t at, bool there, int i) {
          words made;
          unsigned open = 0;
          ((open |= unsigned(!answers.template round<Row>(v, made.bits[Row])) << Row), ...);
          if (there) write_once(static_cast<words*>(out) + at, made);
          ambiguous |= open << i * of_a_vector;
        },
        [&](std::int64_t) { return !any_lane(ambiguous != 0); });
    if (any_lane(ambiguous != 0))
      finish((first - apart + lane_index()) * of_a_vector, of_a_vector, ambiguous);
  }
  if (warp > 0) return;
  all.take_rest([&](const uint4& v, std::int64_t k, bool there) {
    bits made;
    const bool certified = answers.template round<0>(v, made);
    if (there && certified) write_bits<T>(out, k, made);
    if (any_lane(there && !certified)) finish(k, of_a_vector, unsigned(there && !certified));
  });
}

/// What reduce_packed_rows leaves ambiguous: by_lane(k) writes answer k, by a lane alone, if it
/// certifies it; else exactly(k), by the warp. Every lane of the warp calls it.
template <class By_Lane, class Exactly>
ONEFOLD_DEVICE void finish_packed_answers(std::int64_t first, int rows, unsigned ambiguous,
                                          const By_Lane& by_lane, const Exactly& exactly) {
  ONEFOLD_ROLLED
  for (int i = 0; any_lane(ambiguous >> i != 0); ++i) {
    const std::int64_t k = first + i / rows * int(warp_lanes) * rows + i % rows;
    bool open = (ambiguous >> i & 1) != 0;
    if (open) open = !by_lane(k);
    ONEFOLD_ROLLED
    for (unsigned lanes = __ballot_sync(whole_warp, open); lanes != 0; lanes &= lanes - 1) {
      __syncwarp();  // another lane may have written some answers
      exactly(of_lane(k, __ffs(int(lanes)) - 1));
    }
  }
}

}  // namespace onefold::cuda
