// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances and deviations of columns of narrow floats, decided by the interval of
// quick_moments.cuh, by parts (column_parts.cuh). Ambiguous columns are a warp's, or, of long ones,
// left to ambiguous_columns.cuh.

#include "cuda/kernels/strided/joined_parts.cuh"
#include "cuda/kernels/strided/moments/moment_columns.hpp"
#include "cuda/kernels/strided/moments/strided_moments.cuh"

namespace onefold::cuda {

/// The elements of answer k, whose sums are of moments.
template <class T>
class moment_column {
 public:
  ONEFOLD_DEVICE moment_column(const strided_request& request, std::int64_t k) : all_(request, k) {}

  /// The sums of no element.
  template <class Sums>
  ONEFOLD_DEVICE Sums nothing() const {
    if constexpr (std::is_same_v<Sums, shifted_sums<false>>)
      return {double_of<T>(all_.first())};
    else
      return {};
  }
  /// Of two elements, d from the first to the second.
  ONEFOLD_DEVICE bool has_short_distance(double d) const {
    return is_short_distance<T>(d, all_.first(), all_.second());
  }
  /// The sums of the elements of a part.
  template <class Sums>
  ONEFOLD_DEVICE Sums sums(const column_parts& lanes, std::int64_t part) const {
    return all_.sums(nothing<Sums>(), lanes, part,
                     [](Sums& sums, auto bits) { sums.add(double_of<T>(bits)); });
  }

 private:
  column_reader<T> all_;
};

/// Whether answer k, of a column of this lane alone, is certified by double words, and so written.
template <class T>
ONEFOLD_COLD bool write_double_words_of_column(const moment_columns& a, std::int64_t k) {
  const auto sums = moment_column<T>(a.request, k).template sums<double_word_moments>(a.lanes, 0);
  return write_certified(a.request, sums, k, true);
}

template <class T>
ONEFOLD_DEVICE void take_moment_columns(const moment_columns& a, std::int64_t* own) {
  const quick_moments quick(a.request.items, a.request.finish.correction, additions_of(a));
  if (a.ambiguous != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *a.ambiguous = 0;
  for_each_part(a, [&](std::int64_t k, std::int64_t c, std::int64_t part, bool there) {
    const moment_column<T> column(a.request, k);
    auto sums = column.template sums<shifted_sums<false>>(a.lanes, part);
    if (a.lanes.block_joins())
      join_in_block(a, sums, shifted_sums<false>{sums.first}, c, part, there);
    if (a.joins()) return there ? write_part(a, sums, k, part, a.lanes.written()) : void();
    const bool exact = a.request.items == 2 && column.has_short_distance(sums.s1);
    bool open =
        there && !quick.write(a.request.finish, sums, a.request.first_output + k, there, exact);
    const unsigned count = __popc(__ballot_sync(whole_warp, open));
    const bool by_lanes = a.lanes.count() == 1 && suits_lanes(a.request.items, count);
    if (by_lanes && open) open = !write_double_words_of_column<T>(a, k);
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, open); left != 0; left &= left - 1) {
      const std::int64_t other = __shfl_sync(whole_warp, (long long)k, __ffs(int(left)) - 1);
      __syncwarp();  // another lane may have written some answers
      by_lanes ? finish_exact_moments<float>(a.request, other, own)
               : finish_moments(a.request, other, own);
    }
  });
}

/// The sums of no element of an answer.
template <class T, class Sums>
ONEFOLD_DEVICE auto nothing_of(const moment_columns& a) {
  return [&a](std::int64_t k) { return moment_column<T>(a.request, k).template nothing<Sums>(); };
}

template <class T>
ONEFOLD_DEVICE void join_moment_columns(const moment_columns& a, std::int64_t* own) {
  const quick_moments quick(a.request.items, a.request.finish.correction, additions_of(a));
  join_parts<shifted_sums<false>>(
      a, a.lanes.written(), nothing_of<T, shifted_sums<false>>(a),
      [](std::int64_t) { return true; },
      [&](std::int64_t k, const shifted_sums<false>& sums) {
        const bool writes = lane_index() == 0;
        const bool certified =
            quick.write(a.request.finish, sums, a.request.first_output + k, writes);
        const bool left = any_lane(writes && !certified);
        if (a.ambiguous == nullptr) {
          if (left) finish_moments(a.request, k, own);
        } else if (writes) {
          a.ambiguous[1 + k] = left;
          if (left) atomicAdd(reinterpret_cast<atomic_word*>(a.ambiguous), atomic_word(1));
        }
      });
}

template <class T>
ONEFOLD_DEVICE void moments_of_columns(const moment_columns& a, std::int64_t* own) {
  if (a.step == column_step::join) return join_moment_columns<T>(a, own);
  take_moment_columns<T>(a, own);
}

/// Shape:  a request of one or two reduced axes of f16, bf16 or f32, aligned to them; or, of
///         several parts, partials that the step `join` reads; block of strided_threads, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(strided_threads, 8)
    strided_moment_columns(ONEFOLD_KERNEL_ARGUMENT moment_columns a) {
  using state = detail::moments<float>;
  __shared__ std::int64_t shared[strided_threads / warp_lanes]
                                [state::words + finish_space_words<state>];
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (a.request.x_kind.type == dtype::f32) return moments_of_columns<float>(a, own);
  if (a.request.x_kind.type == dtype::bf16) return moments_of_columns<bf16>(a, own);
  moments_of_columns<f16>(a, own);
}

}  // namespace onefold::cuda
