// SPDX-License-Identifier: Apache-2.0
#pragma once
// softmax and log_softmax of rows (docs/numerics/softmax.md). A row is read once where its lanes
// can hold it, and y is written once. docs/performance/gpu-normalize.md has the counts.

#include "cuda/normalize/normalize.hpp"
#include "cuda/normalize/row_task.cuh"
#include "cuda/parts/greater.cuh"
#include "state/softmax_steps.hpp"

namespace onefold::cuda {

/// What the warps of a row share: the largest element of each, and its two sums.
inline constexpr unsigned softmax_warps = row_lanes / warp_lanes;
struct softmax_shared {
  std::uint64_t sums[2][softmax_warps];
  std::uint32_t largest[softmax_warps];
};

/// Floats as integers of their order. That of the canonical NaN is the greatest.
ONEFOLD_DEVICE std::uint32_t order_of(float x) {
  const std::uint32_t bits = detail::to_bits(x);
  return bits ^ (std::uint32_t(std::int32_t(bits) >> 31) | 0x80000000);
}
ONEFOLD_DEVICE float float_of_order(std::uint32_t order) {
  return detail::from_bits<float>(order ^ (std::int32_t(order) < 0 ? 0x80000000 : 0xFFFFFFFF));
}

/// The sum of floor(2^18 numerator), added in a double that is too large for what is cut off. Up to
/// 2^7 numerators of at most 2^26.
class numerator_sum {
 public:
  ONEFOLD_DEVICE void add(float numerator) { sum_ = __dadd_rd(sum_, double(numerator)); }
  ONEFOLD_DEVICE std::uint64_t value() const {
    return detail::to_bits(sum_) - detail::to_bits(start);
  }

 private:
  static constexpr double start = 0x1p34;  // its unit is 2^-18
  static_assert(52 - softmax_steps::sum_places == 34);
  double sum_ = start;
};

/// The row of a group of lanes.
template <class T, row_way Way, bool Logarithm>
class softmax_task : row_task<T, Way> {
 public:
  ONEFOLD_DEVICE softmax_task(const softmax_rows& a, unsigned lanes, softmax_shared& shared)
      : base(a, lanes), shared_(shared) {}

  ONEFOLD_DEVICE void run() const {
    if constexpr (Way == row_way::held) {
      vector_of<T> v[vectors];
      load(0, v, nothing());
      const float m = largest_of_row(largest_of(v));
      float e[vectors][items];
      numerator_sum sum;
      ONEFOLD_UNROLL
      for (int i = 0; i < vectors; ++i) {
        numerators(v[i], m, e[i]);
        ONEFOLD_UNROLL
        for (int k = 0; k < items; ++k) sum.add(e[i][k]);
      }
      const std::uint64_t of_row = sum_of_row(sum.value(), 0);
      const float step = step_of(of_row >> 32, std::uint32_t(of_row));
      ONEFOLD_UNROLL
      for (int i = 0; i < vectors; ++i)
        if (place(0, i) < count_) write(place(0, i), v[i], e[i], m, step);
    } else {
      const float m = largest_of_row(largest_of_lane());
      std::uint64_t high = 0, low = 0;
      for_numerators(m, [&](const numerator_sum& part) {
        high += part.value() >> 32, low += std::uint32_t(part.value());
      });
      high = sum_of_row(high, 0), low = sum_of_row(low, 1);
      write_again(m, step_of(high, low));
    }
  }

 private:
  using base = row_task<T, Way>;
  using base::count_, base::element, base::items, base::lane_, base::lanes_, base::load,
      base::place, base::vectors, base::x_, base::y_;
  using typename base::index;
  static constexpr auto negative_infinity =
      detail::float_format<T>::infinity | detail::float_format<T>::sign_bit;

  ONEFOLD_DEVICE static uint4 nothing() {
    constexpr std::uint32_t word = negative_infinity * (sizeof(T) == 2 ? 0x10001u : 1u);
    return make_uint4(word, word, word, word);
  }

  ONEFOLD_DEVICE static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    if constexpr (sizeof(T) == 2)
      return greater_halves_or_nan<T>(a, b);
    else
      return detail::to_bits(greater_or_nan(detail::from_bits<T>(a), detail::from_bits<T>(b)));
  }
  ONEFOLD_DEVICE static float largest_of(const uint4 (&v)[vectors]) {
    std::uint32_t found = v[0].x;
    ONEFOLD_UNROLL
    for (int i = 0; i < vectors; ++i)
      found = greater(greater(greater(found, v[i].x), greater(v[i].y, v[i].z)), v[i].w);
    if constexpr (sizeof(T) == 2)
      return greater_or_nan(float_of<T>(std::uint16_t(found)),
                            float_of<T>(std::uint16_t(found >> 16)));
    else
      return detail::from_bits<float>(found);
  }
  ONEFOLD_DEVICE float largest_of_lane() const {
    float largest = detail::from_bits<float>(0xFF800000);
    if constexpr (base::by_vectors) {
      ONEFOLD_ROLLED
      for (index at = 0; at < count_; at += index(lanes_) * (vectors * items)) {
        vector_of<T> v[vectors];
        load(at, v, nothing());
        largest = greater_or_nan(largest, largest_of(v));
      }
    } else {
      ONEFOLD_ROLLED
      for (index at = lane_; at < count_; at += lanes_)
        largest = greater_or_nan(largest, element(at));
    }
    return largest;
  }
  // Every lane of the block calls these.
  ONEFOLD_DEVICE float largest_of_row(float own) const {
    std::uint32_t order = order_of(own);
    if (lanes_ < warp_lanes) {
      ONEFOLD_ROLLED
      for (unsigned mask = 1; mask < lanes_; mask *= 2)
        order = max(order, __shfl_xor_sync(whole_warp, order, int(mask)));
      return float_of_order(order);
    }
    order = warp_max(order);
    if (lanes_ > warp_lanes) {
      if (lane_index() == 0) shared_.largest[threadIdx.x / warp_lanes] = order;
      __syncthreads();
      ONEFOLD_ROLLED
      for (unsigned warp = 0; warp < lanes_ / warp_lanes; ++warp)
        order = max(order, shared_.largest[warp]);
    }
    return float_of_order(order);
  }
  ONEFOLD_DEVICE std::uint64_t sum_of_row(std::uint64_t own, int which) const {
    if (Way == row_way::held && lanes_ >= warp_lanes)
      own = std::uint64_t(warp_sum(std::int64_t(own)));
    else
      ONEFOLD_ROLLED
    for (unsigned mask = 1; mask < min(lanes_, warp_lanes); mask *= 2)
      own += std::uint64_t(
          __shfl_xor_sync(whole_warp, static_cast<unsigned long long>(own), int(mask)));
    if (lanes_ <= warp_lanes) return own;
    if (lane_index() == 0) shared_.sums[which][threadIdx.x / warp_lanes] = own;
    __syncthreads();
    std::uint64_t sum = 0;
    ONEFOLD_ROLLED
    for (unsigned warp = 0; warp < lanes_ / warp_lanes; ++warp) sum += shared_.sums[which][warp];
    return sum;
  }

  ONEFOLD_DEVICE static void numerators(const vector_of<T>& x, float m, float (&e)[items]) {
    base::values(x, e);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) e[i] = softmax_steps::numerator<T>(e[i], m);
  }
  // take(the sum of some numerators of the lane), until all were given.
  template <class Take>
  ONEFOLD_DEVICE void for_numerators(float m, const Take& take) const {
    if constexpr (base::by_vectors) {
      ONEFOLD_ROLLED
      for (index at = 0; at < count_; at += index(lanes_) * (vectors * items)) {
        vector_of<T> v[vectors];
        load(at, v, nothing());
        numerator_sum sum;
        ONEFOLD_UNROLL
        for (int i = 0; i < vectors; ++i) {
          float e[items];
          numerators(v[i], m, e);
          ONEFOLD_UNROLL
          for (int k = 0; k < items; ++k) sum.add(e[k]);
        }
        take(sum);
      }
    } else {
      ONEFOLD_ROLLED
      for (index at = lane_; at < count_; at += lanes_) {
        numerator_sum sum;
        sum.add(softmax_steps::numerator<T>(element(at), m));
        take(sum);
      }
    }
  }

  // What numerators are multiplied by, or what is subtracted from x - m.
  ONEFOLD_DEVICE static float step_of(std::uint64_t high, std::uint64_t low) {
    const double total = softmax_steps::total_of(high, low);
    return Logarithm ? softmax_steps::logarithm_of(total) : softmax_steps::factor_of(total);
  }
  ONEFOLD_DEVICE void write(index at, const vector_of<T>& x, const float (&e)[items], float m,
                            float step) const {
    if (!is_finite(m)) return base::write_nans(at);
    float y[items];
    if constexpr (Logarithm) base::values(x, y);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) y[i] = Logarithm ? (y[i] - m) - step : e[i] * step;
    base::template write_vector<false>(at, y);
  }
  ONEFOLD_DEVICE static bool is_finite(float m) { return m - m == 0; }
  ONEFOLD_DEVICE void write_again(float m, float step) const {
    if constexpr (base::by_vectors) {
      ONEFOLD_ROLLED
      for (index at = place(0, 0); at < count_; at += index(lanes_) * items) {
        const vector_of<T> x = load_items(x_ + at);
        float e[items];
        if constexpr (!Logarithm) numerators(x, m, e);
        write(at, x, e, m, step);
      }
    } else {
      ONEFOLD_ROLLED
      for (index at = lane_; at < count_; at += lanes_) {
        const float x = element(at);
        const float y = Logarithm ? (x - m) - step : softmax_steps::numerator<T>(x, m) * step;
        y_[at] = base::rounded(is_finite(m) ? y : m - m);
      }
    }
  }

  softmax_shared& shared_;
};

/// Shape:  a launch of softmax_launch_of.
/// Error:  each step is rounded once; the sum of the cut numerators is exact (softmax_steps.hpp).
/// Order:  none: the same bits for every batch and grid.
template <class T, row_way Way, bool Logarithm>
__global__ void __launch_bounds__(row_lanes, 2) softmax_kernel(softmax_rows a, unsigned lanes) {
  __shared__ softmax_shared shared;
  softmax_task<T, Way, Logarithm>(a, lanes, shared).run();
}

template <class T, bool Logarithm>
auto softmax_kernel_of(row_way way) {
  return way == row_way::held       ? softmax_kernel<T, row_way::held, Logarithm>
         : way == row_way::streamed ? softmax_kernel<T, row_way::streamed, Logarithm>
                                    : softmax_kernel<T, row_way::elements, Logarithm>;
}
template <class T>
auto softmax_kernel_of(const softmax_launch& of) {
  return of.of.logarithm ? softmax_kernel_of<T, true>(of.way) : softmax_kernel_of<T, false>(of.way);
}
inline auto softmax_kernel_of(const softmax_launch& of) {
  return of.of.type == dtype::f16    ? softmax_kernel_of<f16>(of)
         : of.of.type == dtype::bf16 ? softmax_kernel_of<bf16>(of)
                                     : softmax_kernel_of<float>(of);
}

}  // namespace onefold::cuda
