// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of exponentials of columns and long rows of floats, by parts (column_parts.cuh): of
// narrow ones by plain sums, of f64 by double words. Ambiguous answers are a warp's, or, of long
// ones, left to shared_exponentials.cuh.

#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"
#include "cuda/kernels/strided/exponentials/exponential_second_attempt.cuh"
#include "cuda/kernels/strided/joined_parts.cuh"

namespace onefold::cuda {

template <class T>
using column_exponentials =
    exponential_lane<T,
                     std::conditional_t<sizeof(T) == 8, double_exponentials, plain_exponentials>>;

/// Whether all that is asked of answer k is certified, and then written.
template <class T>
ONEFOLD_DEVICE bool write_answer(const exponential_answers& answers,
                                 const column_exponentials<T>& lane, const strided_request& request,
                                 std::int64_t k) {
  const finish_item& first = request.finish.answers[0];
  if (request.finish.size > 1 || first.type != dtype_of<T>)
    return answers.write(lane.sums(), lane.middle(), request.x_kind.type, request.finish,
                         request.first_output + k, true);
  typename detail::float_format<T>::bits made;
  const bool certified = answers.template round<T>(lane.sums(), lane.middle(), made);
  if (certified) write_bits<T>(first.to, request.first_output + k, made);
  return certified;
}

template <class T>
ONEFOLD_DEVICE void take_exponential_columns(const exponential_columns& a, std::int64_t* own) {
  using wide = typename column_exponentials<T>::wide;
  const exponential_answers answers(a.request.items, additions_of(a));
  for_each_part(a, [&](std::int64_t k, std::int64_t c, std::int64_t part, bool there) {
    const column_reader<T> column(a.request, k);
    const column_exponentials<T> none(column.first());
    auto lane = column.sums(none, a.lanes, part, [](auto& sums, auto bits) { sums.add(bits); });
    if (a.lanes.block_joins()) join_in_block(a, lane, none, c, part, there);
    if (a.joins()) return there ? write_part(a, lane, k, part, a.lanes.written()) : void();
    bool open = there && !write_answer<T>(answers, lane, a.request, k);
    const unsigned count = __popc(__ballot_sync(whole_warp, open));
    const bool by_lanes = a.lanes.count() == 1 && suits_lanes_of(a.request.items, count);
    if (by_lanes && open) open = !write_double_words_of_lane<wide>(a.request, k);
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, open); left != 0; left &= left - 1) {
      const std::int64_t other = of_lane(k, __ffs(int(left)) - 1);
      __syncwarp();  // another lane may have written some answers
      by_lanes ? finish_exactly<wide>(a.request, other, own)
               : finish_logarithm<wide>(a.request, other, own);
    }
  });
}

template <class T>
ONEFOLD_DEVICE void join_exponential_columns(const exponential_columns& a, std::int64_t* own) {
  using wide = typename column_exponentials<T>::wide;
  const exponential_answers answers(a.request.items, additions_of(a));
  join_parts<column_exponentials<T>>(
      a, a.lanes.written(),
      [&](std::int64_t k) {
        return column_exponentials<T>(column_reader<T>(a.request, k).first());
      },
      [](std::int64_t) { return true; },
      [&](std::int64_t k, const column_exponentials<T>& all) {
        const bool writes = lane_index() == 0;
        const bool certified = answers.write(all.sums(), all.middle(), a.request.x_kind.type,
                                             a.request.finish, a.request.first_output + k, writes);
        const bool left = any_lane(writes && !certified);
        if (a.records == nullptr) {
          if (left) finish_logarithm<wide>(a.request, k, own);
          return;
        }
        auto* const record = reinterpret_cast<std::int64_t*>(a.records + k);
        constexpr unsigned words = sizeof(exponential_record) / sizeof(std::int64_t);
        for (unsigned i = lane_index(); i < (left ? words : 1); i += warp_lanes)
          record[i] = i == 0 && left;
      });
}

/// Shape:  a request of floats, one or two reduced axes, every element aligned; or, of several
/// parts, partials that the step
///         `join` reads; block of strided_threads, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
template <class T>
__global__ void __launch_bounds__(strided_threads, sizeof(T) == 8 ? 5 : 8)
    strided_exponential_columns(ONEFOLD_KERNEL_ARGUMENT exponential_columns a) {
  __shared__ std::int64_t shared[strided_threads / warp_lanes][exponential_space_words];
  write_tables();
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (a.step == exponential_step::join) return join_exponential_columns<T>(a, own);
  take_exponential_columns<T>(a, own);
}

using exponential_columns_kernel = void (*)(exponential_columns);

inline exponential_columns_kernel exponential_columns_kernel_of(dtype input) {
  if (input == dtype::f64) return strided_exponential_columns<double>;
  if (input == dtype::f32) return strided_exponential_columns<float>;
  return input == dtype::bf16 ? strided_exponential_columns<bf16>
                              : strided_exponential_columns<f16>;
}

}  // namespace onefold::cuda
