// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of x for rows that no block holds: a block reads a row, and reads it again.

#include "cuda/kernels/normalize/gradient_sums.cuh"

#include <algorithm>

namespace onefold::cuda {

/// Words of shared memory: two sums of each warp, or an exact one.
template <class T>
inline constexpr unsigned long_gradient_words =
    std::max<unsigned>(2 * gradient_lanes / warp_lanes * gradient_terms<T>::sum::parts,
                       dot_words<typename row_items<T>::real>);

template <class T, bool Centred>
class long_gradient_task : row_items<T> {
 public:
  /// shared: long_gradient_words.
  ONEFOLD_DEVICE long_gradient_task(const gradient_launch& a, std::int64_t* shared)
      : rows_(a.rows), elements_(a.rows), aligned_(a.copies), shared_(shared) {}

  ONEFOLD_DEVICE void run() const {
    ONEFOLD_ROLLED
    for (std::int64_t row = blockIdx.x; row < rows_.rows; row += gridDim.x) {
      sum sums[Centred ? 2 : 1];
      for_each_vector(row, [&](std::int64_t, const real(&x)[items], const real(&a)[items]) {
        ONEFOLD_UNROLL
        for (int j = 0; j < items; ++j) {
          sum_terms::add_product(sums[0], a[j], x[j]);
          if constexpr (Centred) sum_terms::add(sums[1], a[j]);
        }
      });
      const double r = rows_.inverse[row];
      const real scale = real(r);
      real c = 0, shift = 0;
      find_scales(row, sums, scale_factor(r, rows_.n), c, shift);
      bits* const to = static_cast<bits*>(rows_.dx) + row * rows_.n;
      for_each_vector(row, [&](std::int64_t at, const real(&x)[items], const real(&a)[items]) {
        real d[items];
        ONEFOLD_UNROLL
        for (int j = 0; j < items; ++j) d[j] = (Centred ? a[j] - shift : a[j]) * scale - x[j] * c;
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
    const double mean = Centred ? rows_.mean[row] : 0;
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
        if (Centred && inside) own[j] = centred(own[j], mean);
      }
      take(at, own, a);
    }
  }

  // c of the row, and of centred rows what is subtracted. Every lane of the block calls it.
  template <int Sums>
  ONEFOLD_DEVICE void find_scales(std::int64_t row, sum (&sums)[Sums], double q, real& c,
                                  real& shift) const {
    constexpr unsigned warps = gradient_lanes / warp_lanes;
    sum_terms::template join_warps<Sums>(sums, shared_, 0, warps, warps);
    __syncthreads();
    if (!sum_terms::scaled(sums[0], q, c)) c = real(exact_sum_of(row, false) * q);
    if constexpr (Centred)
      if (!sum_terms::mean(sums[1], rows_.n, quotient_by(rows_.n), shift))
        shift = real(exact_sum_of(row, true) / double(rows_.n));
  }
  ONEFOLD_DEVICE double exact_sum_of(std::int64_t row, bool ones) const {
    if (threadIdx.x < warp_lanes) {
      const double exact = exact_dot<T>(rows_, row, ones, shared_);
      if (lane_index() == 0) shared_[0] = std::int64_t(detail::to_bits(exact));
    }
    __syncthreads();
    const auto exact = std::uint64_t(shared_[0]);
    __syncthreads();
    return detail::from_bits<double>(exact);
  }

  const norm_gradients& rows_;
  gradient_elements<T> elements_;
  bool aligned_;
  std::int64_t* shared_;
};

/// Shape:  any grid; blocks of gradient_lanes.
/// Error, order: as gradient_kernel.
template <class T, bool Centred>
__global__ void __launch_bounds__(gradient_lanes, 2)
    long_gradient_kernel(ONEFOLD_KERNEL_ARGUMENT gradient_launch a) {
  __shared__ std::int64_t shared[long_gradient_words<T>];
  long_gradient_task<T, Centred>(a, shared).run();
}

}  // namespace onefold::cuda
