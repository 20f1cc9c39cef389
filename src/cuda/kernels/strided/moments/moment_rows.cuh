// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances, deviations, means and sums of contiguous rows of narrow floats. The interval of
// quick_moments.cuh certifies nearly all of them; the others are reduced again.

#include "cuda/kernels/strided/certified_rows.cuh"
#include "cuda/kernels/strided/moments/moment_rows.hpp"
#include "cuda/kernels/strided/moments/strided_moments.cuh"
#include "cuda/rounding/quick_moments.cuh"

namespace onefold::cuda {

/// What a lane of a row adds.
template <class T, bool Means>
struct moment_lane : shifted_sums<Means> {
  using bits = typename detail::float_format<T>::bits;
  using sums = shifted_sums<Means>;

  ONEFOLD_DEVICE explicit moment_lane(bits x) : sums{double_of<T>(x)} {}
  ONEFOLD_DEVICE moment_lane none() const {
    moment_lane made = *this;
    static_cast<sums&>(made) = sums{this->first};
    return made;
  }
  ONEFOLD_DEVICE void begin() {
    this->s2 = this->first - this->first;  // NaN if it is not finite
    if constexpr (Means) this->all.begin(this->first);
  }
  ONEFOLD_DEVICE void add(bits x) { sums::add(double_of<T>(x)); }
  /// The elements of a vector have sums of their own: fewer additions are one after another.
  ONEFOLD_DEVICE void add_vector(const vector_of<T>& x) {
    sums some{this->first};
    bool begun = Means;  // the first of them is not added to zeros
    for_each_item<T>(x, x, [&](auto own, auto) {
      if (begun)
        some.add(double_of<T>(own));
      else
        some.begin(double_of<T>(own)), begun = true;
    });
    this->join(some);
  }
};

/// Shape:  a request and what moment_rows_of says of it; block of 32 row_tile_warps, any grid;
///         dynamic shared memory for the stages of each warp.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
template <class T>
__global__ void __launch_bounds__(row_tile_warps* warp_lanes, row_tile_blocks)
    strided_moment_rows(ONEFOLD_KERNEL_ARGUMENT strided_request request,
                        ONEFOLD_KERNEL_ARGUMENT moment_rows by,
                        ONEFOLD_KERNEL_ARGUMENT quick_moments quick) {
  using state = detail::moments<float>;
  static_assert((state::words + finish_space_words<state>)*8 <= row_stages_bytes);
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  __shared__ int ambiguous[row_tile_warps][(row_tile_groups + 1) * warp_lanes];
  const unsigned warp = threadIdx.x / warp_lanes;
  std::int64_t* const stages = shared + warp * (row_stages_bytes / 8);
  const auto reduce = [&]<bool Vectors, bool Means>() {
    row_tiles<T, Vectors> tiles(by.rows, stages);
    reduce_certified_rows(
        request, by.rows, tiles, [](auto bits) { return moment_lane<T, Means>(bits); },
        [&](const auto& sums, std::int64_t k, bool writes) {
          if constexpr (Means)
            return quick.write(request.finish, sums, k, writes);
          else
            return quick.write_one(request.finish.answers[0], sums, k, writes);
        },
        ambiguous[warp],
        [&](std::int64_t from, unsigned count) {
          finish_noted(request, from, ambiguous[warp], count, stages);
        });
  };
  if (by.rows.vectors && by.means)
    reduce.template operator()<true, true>();
  else if (by.rows.vectors)
    reduce.template operator()<true, false>();
  else if (by.means)
    reduce.template operator()<false, true>();
  else
    reduce.template operator()<false, false>();
}

using moment_rows_kernel = void (*)(strided_request, moment_rows, quick_moments);

inline moment_rows_kernel moment_rows_kernel_of(dtype input) {
  if (input == dtype::f32) return strided_moment_rows<float>;
  return input == dtype::bf16 ? strided_moment_rows<bf16> : strided_moment_rows<f16>;
}
inline quick_moments quick_moments_of(const strided_request& request, const moment_rows& by) {
  return quick_moments(request.items, request.finish.correction,
                       row_tile_additions(by.rows.shape, request.items));
}

}  // namespace onefold::cuda
