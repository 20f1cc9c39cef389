// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances or deviations of contiguous rows of which a vector of 16 bytes holds several: whole
// vectors go straight to registers (loaders/packed_rows.cuh), and the answers of a vector are
// written as one. Those of two f32 are certified in floats (rounding/two_floats.cuh), others as
// those of rows.cuh.

#include "cuda/kernels/strided/moments/moment_rows.hpp"
#include "cuda/kernels/strided/moments/strided_moments.cuh"
#include "cuda/kernels/strided/packed_answers.cuh"
#include "cuda/rounding/quick_moments.cuh"
#include "cuda/rounding/two_floats.cuh"

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

/// As of reduce_packed_rows. own: as of finish_moments.
ONEFOLD_COLD inline void finish_packed_rows(const strided_request& request, std::int64_t first,
                                            int rows, unsigned ambiguous, std::int64_t* own) {
  finish_packed_answers(
      first, rows, ambiguous,
      [&](std::int64_t k) { return write_double_words_of_lane(request, k); },
      [&](std::int64_t k) { finish_exact_moments<float>(request, k, own); });
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

template <class T, int Each>
ONEFOLD_DEVICE void reduce_rows_of(const strided_request& request, const strided_rows& rows,
                                   const quick_moments& quick, std::int64_t* own) {
  constexpr std::make_integer_sequence<int, 16 / (Each * int(sizeof(T)))> all;
  const auto finish = [&](std::int64_t first, int packed, unsigned ambiguous) {
    finish_packed_rows(request, first, packed, ambiguous, own);
  };
  if (request.finish.answers[0].op == op::stddev)
    reduce_packed_rows<T>(request, rows, packed_moments<T, true, Each>{quick}, finish, all);
  else
    reduce_packed_rows<T>(request, rows, packed_moments<T, false, Each>{quick}, finish, all);
}
template <bool Root>
ONEFOLD_DEVICE void reduce_pairs(const strided_request& request, const strided_rows& rows,
                                 std::int64_t* own) {
  constexpr std::make_integer_sequence<int, 2> all;
  const auto finish = [&](std::int64_t first, int packed, unsigned ambiguous) {
    finish_packed_rows(request, first, packed, ambiguous, own);
  };
  if (request.finish.correction == 0)
    reduce_packed_rows<float>(request, rows, packed_pairs<Root, true>(), finish, all);
  else
    reduce_packed_rows<float>(request, rows, packed_pairs<Root, false>(), finish, all);
}
template <class T>
ONEFOLD_DEVICE void reduce_narrow_rows(const strided_request& request, const strided_rows& rows,
                                       const quick_moments& quick, std::int64_t* own) {
  if (rows.items == 2)
    reduce_rows_of<T, 2>(request, rows, quick, own);
  else
    reduce_rows_of<T, 4>(request, rows, quick, own);
}

/// Shape:  a request and what moment_rows_of says of it, of packed rows; block of
///         32 row_tile_warps, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(row_tile_warps* warp_lanes, row_tile_blocks)
    strided_packed_moments(ONEFOLD_KERNEL_ARGUMENT strided_request request,
                           ONEFOLD_KERNEL_ARGUMENT strided_rows rows,
                           ONEFOLD_KERNEL_ARGUMENT quick_moments quick) {
  using state = detail::moments<float>;
  __shared__ std::int64_t shared[row_tile_warps][state::words + finish_space_words<state>];
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (request.x_kind.type == dtype::f32 && request.finish.answers[0].op == op::stddev)
    reduce_pairs<true>(request, rows, own);
  else if (request.x_kind.type == dtype::f32)
    reduce_pairs<false>(request, rows, own);
  else if (request.x_kind.type == dtype::bf16)
    reduce_narrow_rows<bf16>(request, rows, quick, own);
  else
    reduce_narrow_rows<f16>(request, rows, quick, own);
}

}  // namespace onefold::cuda
