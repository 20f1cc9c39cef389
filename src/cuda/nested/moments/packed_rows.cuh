// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances or deviations of contiguous rows of which a vector of 16 bytes holds several: whole
// vectors go straight to registers (loaders/packed_rows.cuh), and the answers of a vector are
// written as one. Those of two f32 are certified in floats (exact/two_floats.cuh), others as those
// of rows.cuh.

#include "cuda/exact/quick_moments.cuh"
#include "cuda/exact/two_floats.cuh"
#include "cuda/loaders/packed_rows.cuh"
#include "cuda/nested/moments/moments.cuh"
#include "cuda/nested/moments/rows.hpp"

namespace onefold::cuda {

/// The variance or deviation of row Row of a vector.
template <class T, bool Root, int Row, int... I>
ONEFOLD_DEVICE bool round_packed_row(const quick_moments& quick, const uint4& v,
                                     typename detail::float_format<T>::bits& made,
                                     std::integer_sequence<int, I...>) {
  constexpr int first = Row * (int(sizeof...(I)) + 2);
  const auto x = bits_in<T, first>(v), y = bits_in<T, first + 1>(v);
  shifted_sums<false> sums{double_of<T>(x)};
  sums.begin(double_of<T>(y));
  (sums.add(double_of<T>(bits_in<T, first + 2 + I>(v))), ...);
  const bool exact = sizeof...(I) == 0 && is_short_distance<T>(sums.s1, x, y);
  return quick.round_one<T, Root>(sums, exact, made);
}

/// Bit i of `ambiguous` is row i % rows of a lane's i / rows-th vector; `first` is the first row of
/// its first one. own: as of finish_moments.
ONEFOLD_COLD inline void finish_packed_rows(const nested_request& of, std::int64_t first, int rows,
                                            unsigned ambiguous, std::int64_t* own) {
  ONEFOLD_ROLLED
  for (int i = 0; any_lane(ambiguous >> i != 0); ++i) {
    const std::int64_t k = first + i / rows * int(warp_lanes) * rows + i % rows;
    bool open = (ambiguous >> i & 1) != 0;
    if (open) open = !write_double_words_of_lane(of, k);
    ONEFOLD_ROLLED
    for (unsigned lanes = __ballot_sync(whole_warp, open); lanes != 0; lanes &= lanes - 1) {
      __syncwarp();  // another lane may have written some answers
      finish_exact_moments<float>(of, of_lane(k, __ffs(int(lanes)) - 1), own);
    }
  }
}

/// Their answers: round<Row>(vector, bits) of row Row of a vector. If the first element of a row is
/// not finite, no distance is.
template <class T, bool Root, int Each>
struct packed_moments {
  const quick_moments& quick;

  template <int Row>
  ONEFOLD_DEVICE bool round(const uint4& v, typename detail::float_format<T>::bits& made) const {
    constexpr std::make_integer_sequence<int, Each - 2> others;
    return round_packed_row<T, Root, Row>(quick, v, made, others);
  }
};
template <bool Root, bool Population>
struct packed_pairs {
  template <int Row>
  ONEFOLD_DEVICE bool round(const uint4& v, std::uint32_t& made) const {
    const auto number = [](std::uint32_t bits) { return __uint_as_float(bits); };
    return variance_of_two<Root, Population>(number(bits_in<float, 2 * Row>(v)),
                                             number(bits_in<float, 2 * Row + 1>(v)), made);
  }
};

/// All rows of a warp, as many of a vector as there are Row, where are_packed(rows). own: as of
/// finish_moments.
template <class T, class Answers, int... Row>
ONEFOLD_DEVICE void reduce_packed_rows(const nested_request& of, const strided_rows& rows,
                                       const Answers& answers, std::int64_t* own,
                                       std::integer_sequence<int, Row...>) {
  using bits = typename detail::float_format<T>::bits;
  constexpr int of_a_vector = int(sizeof...(Row)), ahead = packed_ahead<T>;
  static_assert(ahead * of_a_vector <= 32);
  using words = packed_words<bits, of_a_vector>;
  void* const out = of.finish.answers[0].to;
  const packed_vectors<of_a_vector, ahead> all(of.x, rows.count);
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
      finish_packed_rows(of, (first - apart + lane_index()) * of_a_vector, of_a_vector, ambiguous,
                         own);
  }
  if (warp > 0) return;
  all.take_rest([&](const uint4& v, std::int64_t k, bool there) {
    bits made;
    const bool certified = answers.template round<0>(v, made);
    if (there && certified) write_bits<T>(out, k, made);
    if (any_lane(there && !certified))
      finish_packed_rows(of, k, of_a_vector, unsigned(there && !certified), own);
  });
}

template <class T, int Each>
ONEFOLD_DEVICE void reduce_rows_of(const nested_request& of, const strided_rows& rows,
                                   const quick_moments& quick, std::int64_t* own) {
  constexpr std::make_integer_sequence<int, 16 / (Each * int(sizeof(T)))> all;
  if (of.finish.answers[0].what == op::stddev)
    reduce_packed_rows<T>(of, rows, packed_moments<T, true, Each>{quick}, own, all);
  else
    reduce_packed_rows<T>(of, rows, packed_moments<T, false, Each>{quick}, own, all);
}
template <bool Root>
ONEFOLD_DEVICE void reduce_pairs(const nested_request& of, const strided_rows& rows,
                                 std::int64_t* own) {
  constexpr std::make_integer_sequence<int, 2> all;
  if (of.finish.correction == 0)
    reduce_packed_rows<float>(of, rows, packed_pairs<Root, true>(), own, all);
  else
    reduce_packed_rows<float>(of, rows, packed_pairs<Root, false>(), own, all);
}
template <class T>
ONEFOLD_DEVICE void reduce_narrow_rows(const nested_request& of, const strided_rows& rows,
                                       const quick_moments& quick, std::int64_t* own) {
  if (rows.items == 2)
    reduce_rows_of<T, 2>(of, rows, quick, own);
  else
    reduce_rows_of<T, 4>(of, rows, quick, own);
}

/// Shape:  a request and what moment_rows_of says of it, of packed rows; block of
///         32 row_tile_warps, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(row_tile_warps* warp_lanes, row_tile_blocks)
    nested_packed_moments(ONEFOLD_KERNEL_ARGUMENT nested_request of,
                          ONEFOLD_KERNEL_ARGUMENT strided_rows rows,
                          ONEFOLD_KERNEL_ARGUMENT quick_moments quick) {
  using state = detail::moments<float>;
  __shared__ std::int64_t shared[row_tile_warps][state::words + finish_space_words<state>];
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (of.x_kind.type == dtype::f32 && of.finish.answers[0].what == op::stddev)
    reduce_pairs<true>(of, rows, own);
  else if (of.x_kind.type == dtype::f32)
    reduce_pairs<false>(of, rows, own);
  else if (of.x_kind.type == dtype::bf16)
    reduce_narrow_rows<bf16>(of, rows, quick, own);
  else
    reduce_narrow_rows<f16>(of, rows, quick, own);
}

}  // namespace onefold::cuda
