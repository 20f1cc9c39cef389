// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of exponentials of contiguous rows of which a vector of 16 bytes holds several.

#include "cuda/kernels/strided/exponentials/exponential_rows.hpp"
#include "cuda/kernels/strided/exponentials/exponential_second_attempt.cuh"
#include "cuda/kernels/strided/packed_answers.cuh"

namespace onefold::cuda {

/// As of reduce_packed_rows. own: shared memory of the warp, of exponential_space_words.
ONEFOLD_COLD inline void finish_packed_logarithms(const strided_request& request,
                                                  std::int64_t first, int rows, unsigned ambiguous,
                                                  std::int64_t* own) {
  finish_packed_answers(
      first, rows, ambiguous,
      [&](std::int64_t k) { return write_double_words_of_lane<float>(request, k); },
      [&](std::int64_t k) { finish_exactly<float>(request, k, own); });
}

/// Their answers, of elements within reach of 0.
template <class T, int Each>
struct packed_exponentials {
  const exponential_answers& answers;
  using lane = exponential_lane<T, plain_exponentials, exponential_reach_of::near>;

  template <int Row>
  ONEFOLD_DEVICE bool round(const uint4& v, typename detail::float_format<T>::bits& made) const {
    const lane sum = sum_of<Row * Each>(v, std::make_integer_sequence<int, Each>());
    return answers.template round<T>(sum.sums(), 0, made, true);
  }

 private:
  template <int First, int... I>
  ONEFOLD_DEVICE static lane sum_of(const uint4& v, std::integer_sequence<int, I...>) {
    lane sum;
    (sum.add(bits_in<T, First + I>(v)), ...);
    sum.end();
    return sum;
  }
};

template <class T, int Each>
ONEFOLD_DEVICE void
reduce_packed_exponentials(const strided_request& request, const strided_rows& rows,
                           const exponential_answers& answers, std::int64_t* own) {
  reduce_packed_rows<T>(
      request, rows, packed_exponentials<T, Each>{answers},
      [&](std::int64_t first, int packed, unsigned ambiguous) {
        finish_packed_logarithms(request, first, packed, ambiguous, own);
      },
      std::make_integer_sequence<int, 16 / (Each * int(sizeof(T)))>());
}
template <class T>
ONEFOLD_DEVICE void reduce_packed_halves(const strided_request& request, const strided_rows& rows,
                                         const exponential_answers& answers, std::int64_t* own) {
  if (rows.items == 2)
    reduce_packed_exponentials<T, 2>(request, rows, answers, own);
  else
    reduce_packed_exponentials<T, 4>(request, rows, answers, own);
}

/// Shape:  a request and what exponential_rows_of says of it, of packed rows of narrow floats;
///         block of 32 row_tile_warps, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(row_tile_warps* warp_lanes, exponential_blocks)
    strided_packed_exponentials(ONEFOLD_KERNEL_ARGUMENT strided_request request,
                                ONEFOLD_KERNEL_ARGUMENT strided_rows rows,
                                ONEFOLD_KERNEL_ARGUMENT exponential_answers answers) {
  __shared__ std::int64_t shared[row_tile_warps][exponential_space_words];
  write_tables();
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (request.x_kind.type == dtype::f32)
    reduce_packed_exponentials<float, 2>(request, rows, answers, own);
  else if (request.x_kind.type == dtype::bf16)
    reduce_packed_halves<bf16>(request, rows, answers, own);
  else
    reduce_packed_halves<f16>(request, rows, answers, own);
}

}  // namespace onefold::cuda
