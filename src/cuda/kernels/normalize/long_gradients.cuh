// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of x for rows that no block holds: a block reads a row, and reads it again.

#include "cuda/kernels/normalize/gradient_sums.cuh"

namespace onefold::cuda {

/// Words of shared memory: a sum of each warp, or an exact one.
template <class T>
inline constexpr unsigned
    long_gradient_words = gradient_lanes / warp_lanes* gradient_terms<T>::sum::parts >
                                  unsigned(dot_words<typename row_items<T>::real>)
                              ? gradient_lanes / warp_lanes* gradient_terms<T>::sum::parts
                              : unsigned(dot_words<typename row_items<T>::real>);

template <class T>
class long_gradient_task : row_items<T> {
 public:
  /// shared: long_gradient_words.
  ONEFOLD_DEVICE long_gradient_task(const gradient_launch& a, std::int64_t* shared)
      : rows_(a.rows), elements_(a.rows), aligned_(a.copies), shared_(shared) {}

  ONEFOLD_DEVICE void run() const {
    ONEFOLD_ROLLED
    for (std::int64_t row = blockIdx.x; row < rows_.rows; row += gridDim.x) {
      sum dot;
      for_each_vector(row, [&](std::int64_t, const real(&x)[items], const real(&a)[items]) {
        ONEFOLD_UNROLL
        for (int j = 0; j < items; ++j) sum_terms::add_product(dot, a[j], x[j]);
      });
      const double r = rows_.inverse[row];
      const real c = scale_of(row, dot, r), scale = real(r);
      bits* const to = static_cast<bits*>(rows_.dx) + row * rows_.n;
      for_each_vector(row, [&](std::int64_t at, const real(&x)[items], const real(&a)[items]) {
        real d[items];
        ONEFOLD_UNROLL
        for (int j = 0; j < items; ++j) d[j] = a[j] * scale - x[j] * c;
        if (aligned_) {
          const auto made = base::template packed<true>(d);
          return write_once(reinterpret_cast<std::remove_const_t<decltype(made)>*>(to + at), made);
        }
        ONEFOLD_UNROLL
        for (int j = 0; j < items; ++j)
          if (at + j < rows_.n) to[at + j] = base::rounded(d[j]);
      });
    }
  }

 private:
  using base = row_items<T>;
  using base::items;
  using typename base::bits;
  using typename base::real;
  using sum_terms = gradient_terms<T>;
  using sum = typename sum_terms::sum;

  // Calls take(first, x, a) for this lane's vectors of a row. Past its end products are -0.
  template <class Take>
  ONEFOLD_DEVICE void for_each_vector(std::int64_t row, const Take& take) const {
    const T *const x = elements_.x(row), *const g = elements_.g(row);
    ONEFOLD_UNROLL_BY_2
    for (std::int64_t at = std::int64_t(threadIdx.x) * items; at < rows_.n;
         at += std::int64_t(gradient_lanes) * items) {
      real own[items], a[items];
      if (aligned_) {
        base::values(load_items(x + at), own);
        base::values(load_items(g + at), a);
      }
      ONEFOLD_UNROLL
      for (int j = 0; j < items; ++j) {
        const bool inside = at + j < rows_.n;
        if (!aligned_) own[j] = inside ? elements_.at(x, at + j) : real(0);
        if (!aligned_) a[j] = inside ? elements_.at(g, at + j) : real(-0.0);
        if (inside) a[j] *= elements_.weight(at + j);
      }
      take(at, own, a);
    }
  }

  ONEFOLD_DEVICE real scale_of(std::int64_t row, sum dot, double r) const {
    constexpr unsigned warps = gradient_lanes / warp_lanes;
    const unsigned warp = threadIdx.x / warp_lanes;
    join_group(dot, warp_lanes);
    if (lane_index() == 0) write_sum(dot, shared_ + warp, warps);
    __syncthreads();
    dot = read_sum<sum>(shared_, warps);
    ONEFOLD_UNROLL_BY_4
    for (unsigned w = 1; w < warps; ++w) dot.join(read_sum<sum>(shared_ + w, warps));
    __syncthreads();
    const double q = scale_factor(r, rows_.n);
    real c;
    if (sum_terms::scaled(dot, q, c)) return c;
    if (warp == 0) {
      const double exact = exact_dot<T>(rows_, row, shared_);
      if (lane_index() == 0) shared_[0] = std::int64_t(detail::to_bits(exact));
    }
    __syncthreads();
    const auto exact = std::uint64_t(shared_[0]);
    __syncthreads();
    return real(detail::from_bits<double>(exact) * q);
  }

  const rms_norm_gradients& rows_;
  gradient_elements<T> elements_;
  bool aligned_;
  std::int64_t* shared_;
};

/// Shape:  any grid; blocks of gradient_lanes.
/// Error, order: as gradient_kernel.
template <class T>
__global__ void __launch_bounds__(gradient_lanes, 2)
    long_gradient_kernel(ONEFOLD_KERNEL_ARGUMENT gradient_launch a) {
  __shared__ std::int64_t shared[long_gradient_words<T>];
  long_gradient_task<T>(a, shared).run();
}

}  // namespace onefold::cuda
