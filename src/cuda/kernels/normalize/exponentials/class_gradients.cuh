// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradients of class losses (docs/numerics/cross-entropy.md), from the totals of rows: an
// element of x is read, and an element of dx written, by one lane. So dx may be x.

#include "cuda/kernels/normalize/exponentials/class_launch.hpp"
#include "cuda/kernels/normalize/softmax_total.cuh"
#include "cuda/kernels/normalize/vector_row.cuh"
#include "cuda/primitives/copy.cuh"

namespace onefold::cuda {

/// A lane's part of a row.
template <class T>
class class_gradient_task {
 public:
  ONEFOLD_DEVICE class_gradient_task(const class_gradient_launch& a, std::int64_t k)
      : a_(a), first_(blockIdx.y * a.part),
        row_(static_cast<const T*>(a.rows.x) + k * a.rows.stride,
             static_cast<T*>(a.rows.dx) + k * a.rows.n, a.rows.n) {
    const std::int64_t target = a.rows.targets[k];
    if (!a.rows.has_class(target)) {
      made_ = target == a.rows.ignore_index ? 0.0f : NAN;
      return;
    }
    const double* const total = a.rows.totals + 3 * k;
    const float scale = a.rows.scales[k];
    band_ = total[0];
    factors_ = detail::scaled_factors_of({band_, total[1]}, scale);
    if (!(factors_.top - factors_.top == 0)) return;
    target_ = target;
    made_ = a.rows.of_target(total[2], scale), shift_ = a.rows.shift(scale);
  }

  ONEFOLD_DEVICE void run() const {
    if (target_ < 0)
      write_all();
    else if (row_.writes_vectors() && factors_.top < most_factor && factors_.top > -most_factor)
      write_vectors();
    else
      write_one_by_one();
  }

 private:
  using row = vector_row<T, std::int64_t>;
  using rounded_vector = typename row::rounded_vector;
  using items_of = row_items<T>;
  static constexpr int items = items_of::items;
  // Up to it the floats of exp(-256) and less, times a factor, are zeros: of elements of lower
  // bands, whose exponentials the vectors' way does not have as they are defined.
  static constexpr double most_factor = 0x1p218;

  ONEFOLD_DEVICE unsigned lane() const { return threadIdx.x & (a_.lanes - 1); }
  // take(number) of each of this lane's vectors of which all elements are the row's, and of others.
  template <class Take, class Take_Edge>
  ONEFOLD_DEVICE void for_vectors(const Take& take_vector, const Take_Edge& take_edge) const {
    const std::int64_t past = min(first_ + a_.part, row_.vectors());
    std::int64_t at = first_ + lane();
    if (at < row_.begin() && at < past) take_edge(at), at += a_.lanes;
    const std::int64_t end = min(past, row_.end());
    ONEFOLD_ROLLED
    for (; at < end; at += a_.lanes) take_vector(at);
    if (at < past) take_edge(at);
  }
  // take(number) of each of this lane's elements, one by one.
  template <class Take>
  ONEFOLD_DEVICE void for_elements(const Take& take_element) const {
    const std::int64_t past = min((first_ + a_.part) * items, row_.size());
    ONEFOLD_ROLLED
    for (std::int64_t i = first_ * items + lane(); i < past; i += a_.lanes) take_element(i);
  }

  // Rows of zeros or NaNs.
  ONEFOLD_DEVICE void write_all() const {
    if (!row_.writes_vectors()) return for_elements([&](std::int64_t i) { row_.write(i, made_); });
    float y[items];
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) y[i] = made_;
    const rounded_vector all = items_of::template packed<true>(y);
    for_vectors([&](std::int64_t at) { write_once(row_.results_at(at), all); },
                [&](std::int64_t at) { row_.write_edge(at, all); });
  }

  ONEFOLD_DEVICE void write_vectors() const {
    const auto middle = float(band_ * detail::band_width);
    const auto gradients_of = [&](const uint4& x) {
      float y[items];
      items_of::values(x, y);
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) {
        const float d = greater_or_nan(y[i] - middle, -float(exponential_reach));
        y[i] = float(exponential_of(d) * factors_.top) - shift_;
      }
      return items_of::template packed<false>(y);
    };
    for_vectors(
        [&](std::int64_t at) {
          write_once(row_.results_at(at), gradients_of(load_vector(row_.vector_at(at))));
        },
        [&](std::int64_t at) { row_.write_edge(at, gradients_of(row_.load_edge(at))); });
    // The lane that has written the target's vector.
    const std::int64_t place = row_.vector_with(target_) - first_;
    if (place >= 0 && place < a_.part && (unsigned(place) & (a_.lanes - 1)) == lane())
      row_.write(target_, made_);
  }

  ONEFOLD_DEVICE void write_one_by_one() const {
    for_elements([&](std::int64_t i) {
      row_.write(i, i == target_
                        ? made_
                        : float(block_quotient_of(row_.element(i), band_, factors_)) - shift_);
    });
  }

  const class_gradient_launch& a_;
  std::int64_t first_;  ///< vector
  row row_;
  std::int64_t target_ = -1;  ///< below 0: all of the row is made_
  float made_ = NAN;          ///< the target's
  float shift_ = 0;           ///< what is subtracted from all others
  double band_ = 0;
  detail::softmax_factors factors_{};
};

/// What the lanes of row k read first is on its way while they learn of the row.
template <class T>
ONEFOLD_DEVICE void ask_for_first(const class_gradient_launch& a, std::int64_t k) {
  const std::int64_t lane = threadIdx.x & (a.lanes - 1);
  const std::int64_t at = (blockIdx.y * a.part + lane) * vector_items<T>;
  if (k < a.rows.rows && at < a.rows.n)
    ask_for(static_cast<const T*>(a.rows.x) + k * a.rows.stride + at);
}

/// Shape:  a launch of class_gradient_launch_of.
/// Error:  as docs/numerics/cross-entropy.md defines it.
/// Order:  none: the same bits for every batch and grid.
template <class T>
__global__ void __launch_bounds__(class_gradient_lanes, class_gradient_blocks)
    class_gradient_kernel(ONEFOLD_KERNEL_ARGUMENT class_gradient_launch a) {
  const std::int64_t rows = class_gradient_lanes / a.lanes;
  const std::int64_t k = blockIdx.x * rows + threadIdx.x / a.lanes;
  ask_for_first<T>(a, k);
  write_tables();
  if (k < a.rows.rows) class_gradient_task<T>(a, k).run();
}

using class_gradient_start = void (*)(class_gradient_launch);
inline class_gradient_start class_gradient_kernel_of(const class_gradient_launch& launch) {
  return launch.rows.type == dtype::f16    ? class_gradient_kernel<f16>
         : launch.rows.type == dtype::bf16 ? class_gradient_kernel<bf16>
                                           : class_gradient_kernel<float>;
}

}  // namespace onefold::cuda
