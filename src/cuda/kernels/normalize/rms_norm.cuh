// SPDX-License-Identifier: Apache-2.0
#pragma once
// RMSNorm: y = (x * r) * weight, r = 1 / sqrt(s / n + eps), s the exact sum of a row's squares
// rounded to float64. A row is read once where its lanes can hold it, and y is written once.
// docs/performance/gpu-normalize.md has the counts.

#include "cuda/kernels/normalize/normalize.hpp"
#include "cuda/kernels/normalize/row_squares.cuh"
#include "cuda/kernels/normalize/row_task.cuh"
#include "cuda/primitives/element_kind.hpp"

namespace onefold::cuda {

/// Words of 64 bits of shared memory: what a block shares of its row, and of each warp a sum, or
/// what the exact fallback needs.
inline constexpr unsigned rms_norm_results = 3;
template <class T>
ONEFOLD_HOST_DEVICE constexpr unsigned rms_norm_words(unsigned threads) {
  static_assert(squares_words<T> >= pair_sum::parts);
  return rms_norm_results + threads / warp_lanes * squares_words<T>;
}

/// The row of a group of lanes. Adds: of the sum of two arrays, which is written too.
template <class T, row_way Way, bool Adds>
class rms_norm_task : row_task<T, Way> {
 public:
  ONEFOLD_DEVICE rms_norm_task(const rms_norm_rows& a, unsigned lanes, std::int64_t* shared)
      : base(a, lanes), a_(a), shared_(shared) {}

  // The vectors are dead where the exact fallback is called: it takes none of their registers.
  ONEFOLD_DEVICE void run() const {
    bool certified = true;
    if constexpr (Way == row_way::held) {
      vector_of<T> v[vectors];
      load(0, v, {});
      if constexpr (Adds) add_addends(0, v);
      const real r = scale_of(squares_across<T>(v, min(lanes_, warp_lanes)), certified);
      if (certified) write(v, r);
    } else {
      pair_sum sum = squares_of_lane();
      join_group(sum, min(lanes_, warp_lanes));
      const real r = scale_of(sum, certified);
      if (certified) write_again(r);
    }
    if (!any_lane(!certified)) return;
    const real r = exact_scale(certified);
    if (!certified) write_elements(r);
  }

 private:
  using base = row_task<T, Way>;
  using base::by_vectors, base::count_, base::items, base::lane_, base::lanes_, base::load,
      base::place, base::row_, base::vectors, base::x_, base::y_;
  using typename base::bits;
  using typename base::index;
  using typename base::real;

  // Where the elements are that are normalized: x, or what the row's lanes have written.
  ONEFOLD_DEVICE const T* row_at(std::int64_t row) const {
    return Adds ? static_cast<const T*>(a_.sum) + row * a_.n
                : static_cast<const T*>(a_.x) + row * a_.stride;
  }
  ONEFOLD_DEVICE const T* own_row() const { return Adds ? row_at(row_) : x_; }
  ONEFOLD_DEVICE bits element_bits(index at) const { return detail::to_bits(own_row()[at]); }
  ONEFOLD_DEVICE const T* addends() const {
    return static_cast<const T*>(a_.addend) + row_ * a_.addend_stride;
  }
  ONEFOLD_DEVICE bits* sums() const { return static_cast<bits*>(a_.sum) + row_ * a_.n; }

  ONEFOLD_DEVICE bits added(index at) const {
    const bits made =
        base::rounded(base::element(at) + base::value(detail::to_bits(addends()[at])));
    sums()[at] = made;
    return made;
  }
  ONEFOLD_DEVICE void add_addends(index at, vector_of<T> (&v)[vectors]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) {
      if (place(at, i) >= index(count_)) continue;
      real x[items], other[items];
      base::values(v[i], x);
      base::values(load_items(addends() + place(at, i)), other);
      ONEFOLD_UNROLL
      for (int j = 0; j < items; ++j) x[j] += other[j];
      const auto made = base::template packed<true>(x);
      v[i] = base::vector_bits(made);
      *reinterpret_cast<std::remove_const_t<decltype(made)>*>(sums() + place(at, i)) = made;
    }
  }

  ONEFOLD_DEVICE pair_sum squares_of_lane() const {
    pair_sum sum;
    if constexpr (by_vectors) {
      ONEFOLD_ROLLED
      for (index at = 0; at < count_; at += index(lanes_) * (vectors * items)) {
        vector_of<T> v[vectors];
        load(at, v, {});
        if constexpr (Adds) add_addends(at, v);
        sum.join(squares_of<T>(v));
      }
    } else {
      ONEFOLD_ROLLED
      for (index at = lane_; at < count_; at += lanes_)
        batched_terms<accumulator::squares, T>::add(sum, Adds ? added(at) : element_bits(at));
    }
    return sum;
  }

  // r as elements are multiplied by it, from the sum over the lanes of a warp, and whether it is
  // certain. Every lane of the block calls it.
  ONEFOLD_DEVICE real scale_of(const pair_sum& sum, bool& certified) const {
    return real(base::across_row(
        sum, shared_, shared_ + rms_norm_results,
        [&](const pair_sum& total, bool& fine) { return inverse_of(total, fine); }, certified));
  }
  ONEFOLD_DEVICE double inverse_of(const pair_sum& sum, bool& certified) const {
    double squares;
    certified = nearest_double<T>(sum, squares) || row_ >= a_.rows;
    return inverse_of(squares);
  }
  // Writes it too.
  ONEFOLD_DEVICE double inverse_of(double squares) const {
    return base::written(a_, a_.inverse, inverse_root_mean(squares, a_.n, a_.eps));
  }

  // r of rows whose sum is ambiguous. Every lane calls it: of the warp where rows share one, else
  // of the block.
  ONEFOLD_DEVICE real exact_scale(bool certified) const {
    std::int64_t* const words =
        shared_ + rms_norm_results + threadIdx.x / warp_lanes * squares_words<T>;
    if (lanes_ <= warp_lanes) {
      double inverse = 0;
      ONEFOLD_ROLLED
      for (unsigned left = __ballot_sync(whole_warp, lane_ == 0 && !certified); left != 0;
           left &= left - 1) {
        const std::int64_t again =
            __shfl_sync(whole_warp, static_cast<long long>(row_), __ffs(int(left)) - 1);
        if (Adds) __syncwarp();  // a vote orders no memory
        const double squares = exact_squares(row_at(again), a_.n, words);
        if (row_ == again) inverse = inverse_of(squares);
      }
      return real(inverse);
    }
    if (Adds) __syncthreads();
    if (threadIdx.x < warp_lanes) {
      const double inverse = inverse_of(exact_squares(own_row(), a_.n, words));
      if (lane_index() == 0) shared_[2] = std::int64_t(detail::to_bits(inverse));
    }
    __syncthreads();
    return real(detail::from_bits<double>(std::uint64_t(shared_[2])));
  }

  template <class Take>
  ONEFOLD_DEVICE void with_weights(const Take& take) const {
    if (a_.weight == nullptr) return take(no_weights());
    if constexpr (sizeof(T) == 2)
      if (a_.float_weight) return take(row_weights<float>{static_cast<const float*>(a_.weight)});
    take(row_weights<T>{static_cast<const T*>(a_.weight)});
  }
  ONEFOLD_DEVICE void write(const vector_of<T> (&v)[vectors], real r) const {
    with_weights([&](const auto& weights) {
      ONEFOLD_UNROLL
      for (int i = 0; i < vectors; ++i)
        if (place(0, i) < count_) write_vector(place(0, i), v[i], r, weights);
    });
  }
  ONEFOLD_DEVICE void write_again(real r) const {
    if constexpr (by_vectors)
      with_weights([&](const auto& weights) {
        ONEFOLD_ROLLED
        for (index at = place(0, 0); at < count_; at += index(lanes_) * items)
          write_vector(at, load_again(at), r, weights);
      });
    else
      write_elements(r);
  }
  // What this lane has written is not in the cache of data that no kernel writes.
  ONEFOLD_DEVICE vector_of<T> load_again(index at) const {
    if constexpr (Adds)
      return base::vector_bits(
          *reinterpret_cast<const typename base::rounded_vector*>(own_row() + at));
    else
      return load_items(x_ + at);
  }
  ONEFOLD_DEVICE void write_elements(real r) const {
    with_weights([&](const auto& weights) {
      ONEFOLD_ROLLED
      for (std::int64_t at = lane_; at < count_; at += lanes_)
        y_[at] = base::rounded(base::value(element_bits(at)) * r * weights(at));
    });
  }

  template <class Weights>
  ONEFOLD_DEVICE void write_vector(index at, const vector_of<T>& x, real r,
                                   const Weights& weights) const {
    real y[items];
    base::values(x, y);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) y[i] *= r;
    weights.multiply(y, at);
    base::write_vector(at, y);
  }

  const rms_norm_rows& a_;
  std::int64_t* shared_;
};

/// Shape:  a launch of rms_norm_launch_of; dynamic shared memory for rms_norm_words<T>(threads).
/// Error:  none before r, which is 1 / sqrt(s / n + eps) in float64; then two products in float32
///         (float64 for float64) and one rounding to T.
/// Order:  none: the same bits for every batch and grid.
template <class T, row_way Way, bool Adds>
__global__ void __launch_bounds__(row_lanes, 2) rms_norm_kernel(rms_norm_rows a, unsigned lanes) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  rms_norm_task<T, Way, Adds>(a, lanes, shared).run();
}

struct rms_norm_start {
  void (*kernel)(rms_norm_rows a, unsigned lanes);
  std::size_t shared_bytes;
};
template <class T, bool Adds>
rms_norm_start rms_norm_start_of(row_way way, unsigned threads) {
  return {way == row_way::held       ? rms_norm_kernel<T, row_way::held, Adds>
          : way == row_way::streamed ? rms_norm_kernel<T, row_way::streamed, Adds>
                                     : rms_norm_kernel<T, row_way::elements, Adds>,
          rms_norm_words<T>(threads) * sizeof(std::int64_t)};
}
inline rms_norm_start rms_norm_start_of(const rms_norm_launch& launch) {
  return with_floating<rms_norm_start>(launch.rows.type, [&]<class T>(detail::tag<T>) {
    return launch.rows.addend != nullptr ? rms_norm_start_of<T, true>(launch.way, launch.threads)
                                         : rms_norm_start_of<T, false>(launch.way, launch.threads);
  });
}

}  // namespace onefold::cuda
