// SPDX-License-Identifier: Apache-2.0
#pragma once
// LayerNorm: y = (d * r) * weight + bias, d the elements less their mean, which is the exact sum of
// a row rounded to float64 over n, r = 1 / sqrt(s / n + eps), s the exact sum of the squares of d
// rounded to float64. A row is read once where its lanes can hold it, and y is written once.

#include "cuda/kernels/normalize/layer_norm/layer_norm_launch.hpp"
#include "cuda/kernels/normalize/layer_norm/row_sums.cuh"
#include "cuda/kernels/normalize/row_task.cuh"
#include "cuda/primitives/element_kind.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold::cuda {

/// Words of 64 bits of shared memory: what a block shares of its row, and of each warp a sum, or
/// what the exact fallback needs.
inline constexpr unsigned layer_norm_results = 4;
template <class T>
ONEFOLD_HOST_DEVICE constexpr unsigned layer_norm_words(unsigned threads) {
  static_assert(centred_words<T>::count >= pair_sum::parts);
  return layer_norm_results + threads / warp_lanes * centred_words<T>::count;
}

/// Weights and biases; addresses that are null are none.
template <class W>
struct row_affine {
  row_weights<W> weights, biases;

  template <class Real, int Items>
  ONEFOLD_DEVICE void take(Real (&y)[Items], std::int64_t first) const {
    if (weights.at != nullptr) weights.multiply(y, first);
    if (biases.at != nullptr) biases.add(y, first);
  }
  template <class Real>
  ONEFOLD_DEVICE Real taken(Real y, std::int64_t i) const {
    if (weights.at != nullptr) y *= weights(i);
    return biases.at != nullptr ? y + biases(i) : y;
  }
};

/// The row of a group of lanes.
template <class T, row_way Way>
class layer_norm_task : row_task<T, Way> {
 public:
  ONEFOLD_DEVICE layer_norm_task(const layer_norm_rows& a, unsigned lanes, std::int64_t* shared)
      : base(a, lanes), a_(a), shared_(shared) {}

  // The vectors are dead where the exact fallback is called: it takes none of their registers.
  ONEFOLD_DEVICE void run() const {
    bool certified = true;
    const unsigned group = min(lanes_, warp_lanes);
    if constexpr (Way == row_way::held) {
      vector_of<T> v[vectors];
      load(0, v, {});
      const double mean = mean_across(sum_across_vectors<T>(v, group), certified);
      centred_vectors d;
      centre(0, v, mean, d);
      const real r = scale_across(squares_across<real>(d.v, group), certified);
      if (certified) write(d, r);
    } else {
      pair_sum sum = sum_of_lane();
      join_group(sum, group);
      const double mean = mean_across(sum, certified);
      pair_sum squares = squares_of_lane(mean);
      join_group(squares, group);
      const real r = scale_across(squares, certified);
      if (certified) write_again(mean, r);
    }
    if (any_lane(!certified)) write_exactly(certified);
  }

 private:
  using base = row_task<T, Way>;
  using base::by_vectors, base::count_, base::items, base::lane_, base::lanes_, base::load,
      base::place, base::row_, base::vectors, base::x_, base::y_;
  using typename base::bits;
  using typename base::index;
  using typename base::real;

  /// The elements of a lane's vectors less the mean, `parts` vectors for each; zeros past the end.
  static constexpr int parts = int(sizeof(real) / sizeof(T));
  struct centred_vectors {
    vector_of<real> v[vectors * parts];
  };
  // x less the mean. Elements of 16 bits are not converted: the product of the fused operation is
  // exact, and where an element is not finite, so that the mean is not, the mean is NaN here.
  ONEFOLD_DEVICE static real less(real x, double mean) {
    if constexpr (sizeof(T) == 2)
      return float(fma(scaled_down<false>(x), 0x1p896, -mean));
    else
      return centred(x, mean);
  }

  ONEFOLD_DEVICE void centre(index at, const vector_of<T> (&v)[vectors], double mean,
                             centred_vectors& d) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) {
      real x[items];
      base::values(v[i], x);
      const bool there = place(at, i) < index(count_);
      ONEFOLD_UNROLL
      for (int j = 0; j < items; ++j) x[j] = there ? less(x[j], mean) : real(0);
      constexpr int part = items / parts;
      ONEFOLD_UNROLL
      for (int j = 0; j < parts; ++j) {
        auto& to = d.v[i * parts + j];
        to.x = detail::to_bits(x[j * part]), to.y = detail::to_bits(x[j * part + 1]);
        if constexpr (sizeof(real) == 4)
          to.z = detail::to_bits(x[j * part + 2]), to.w = detail::to_bits(x[j * part + 3]);
      }
    }
  }

  ONEFOLD_DEVICE pair_sum sum_of_lane() const {
    pair_sum sum;
    if constexpr (by_vectors) {
      ONEFOLD_ROLLED
      for (index at = 0; at < count_; at += index(lanes_) * (vectors * items)) {
        vector_of<T> v[vectors];
        load(at, v, {});
        sum.join(sum_of_vectors<T>(v));
      }
    } else {
      ONEFOLD_ROLLED
      for (index at = lane_; at < count_; at += lanes_) sum.add(double(base::element(at)));
    }
    return sum;
  }
  ONEFOLD_DEVICE pair_sum squares_of_lane(double mean) const {
    pair_sum sum;
    if constexpr (by_vectors) {
      ONEFOLD_ROLLED
      for (index at = 0; at < count_; at += index(lanes_) * (vectors * items)) {
        vector_of<T> v[vectors];
        load(at, v, {});
        centred_vectors d;
        centre(at, v, mean, d);
        sum.join(squares_of<real>(d.v));
      }
    } else {
      ONEFOLD_ROLLED
      for (index at = lane_; at < count_; at += lanes_)
        batched_terms<accumulator::squares, real>::add(
            sum, detail::to_bits(centred(base::element(at), mean)));
    }
    return sum;
  }

  // The mean as less() takes it. Every lane of the block calls both.
  ONEFOLD_DEVICE double mean_across(const pair_sum& sum, bool& certified) const {
    const double mean = base::across_row(
        sum, shared_, shared_ + layer_norm_results,
        [&](const pair_sum& total, bool& fine) { return mean_of(total, fine); }, certified);
    return sizeof(T) == 2 ? mean + (mean - mean) : mean;
  }
  ONEFOLD_DEVICE real scale_across(const pair_sum& sum, bool& certified) const {
    bool fine = true;
    const auto r = real(base::across_row(
        sum, shared_, shared_ + layer_norm_results,
        [&](const pair_sum& total, bool& found) { return inverse_of(total, found); }, fine));
    certified &= fine;
    return r;
  }
  ONEFOLD_DEVICE double mean_of(const pair_sum& sum, bool& certified) const {
    double total;
    certified = nearest_total<T>(sum, total) || row_ >= a_.rows;
    return mean_of(total);
  }
  ONEFOLD_DEVICE double inverse_of(const pair_sum& sum, bool& certified) const {
    double squares;
    certified = nearest_double<real>(sum, squares) || row_ >= a_.rows;
    return inverse_of(squares);
  }
  // Both write it too.
  ONEFOLD_DEVICE double mean_of(double total) const {
    return base::written(a_, a_.mean, row_mean(total, a_.n));
  }
  ONEFOLD_DEVICE double inverse_of(double squares) const {
    return base::written(a_, a_.inverse, inverse_root_mean(squares, a_.n, a_.eps));
  }

  // Rows of which a sum is ambiguous. Every lane calls it: of the warp where rows share one, else
  // of the block.
  ONEFOLD_DEVICE void write_exactly(bool certified) const {
    std::int64_t* const words =
        shared_ + layer_norm_results + threadIdx.x / warp_lanes * centred_words<T>::count;
    double mean = 0, inverse = 0;
    if (lanes_ <= warp_lanes) {
      ONEFOLD_ROLLED
      for (unsigned left = __ballot_sync(whole_warp, lane_ == 0 && !certified); left != 0;
           left &= left - 1) {
        const std::int64_t again =
            __shfl_sync(whole_warp, static_cast<long long>(row_), __ffs(int(left)) - 1);
        const T* const x = static_cast<const T*>(a_.x) + again * a_.stride;
        const double total = exact_total(x, a_.n, words);
        if (row_ == again) mean = mean_of(total);
        const double squares = exact_centred_squares(
            x, a_.n, __shfl_sync(whole_warp, mean, __ffs(int(left)) - 1), words);
        if (row_ == again) inverse = inverse_of(squares);
      }
    } else {
      if (threadIdx.x < warp_lanes) {
        mean = mean_of(exact_total(x_, a_.n, words));
        inverse = inverse_of(exact_centred_squares(x_, a_.n, mean, words));
        if (lane_index() == 0) {
          shared_[2] = std::int64_t(detail::to_bits(mean));
          shared_[3] = std::int64_t(detail::to_bits(inverse));
        }
      }
      __syncthreads();
      mean = detail::from_bits<double>(std::uint64_t(shared_[2]));
      inverse = detail::from_bits<double>(std::uint64_t(shared_[3]));
    }
    if (!certified) write_elements(mean, real(inverse));
  }

  // take(the weights and biases).
  template <class Take>
  ONEFOLD_DEVICE void with_affine(const Take& take) const {
    if constexpr (sizeof(T) == 2)
      if (a_.float_weight) return take(affine<float>());
    take(affine<T>());
  }
  template <class W>
  ONEFOLD_DEVICE row_affine<W> affine() const {
    return {{static_cast<const W*>(a_.weight)}, {static_cast<const W*>(a_.bias)}};
  }

  ONEFOLD_DEVICE void write(const centred_vectors& d, real r) const {
    with_affine([&](const auto& affine) {
      ONEFOLD_UNROLL
      for (int i = 0; i < vectors; ++i)
        if (place(0, i) < count_) write_vector(place(0, i), d, i, r, affine);
    });
  }
  template <class Affine>
  ONEFOLD_DEVICE void write_vector(index at, const centred_vectors& d, int i, real r,
                                   const Affine& affine) const {
    real y[items];
    ONEFOLD_UNROLL
    for (int j = 0; j < parts; ++j) {
      real some[items / parts];
      row_items<real>::values(d.v[i * parts + j], some);
      ONEFOLD_UNROLL
      for (int k = 0; k < items / parts; ++k) y[j * (items / parts) + k] = some[k] * r;
    }
    affine.take(y, at);
    base::write_vector(at, y);
  }
  ONEFOLD_DEVICE void write_again(double mean, real r) const {
    if constexpr (by_vectors)
      with_affine([&](const auto& affine) {
        ONEFOLD_ROLLED
        for (index at = place(0, 0); at < count_; at += index(lanes_) * items) {
          real y[items];
          base::values(load_items(x_ + at), y);
          ONEFOLD_UNROLL
          for (int i = 0; i < items; ++i) y[i] = less(y[i], mean) * r;
          affine.take(y, at);
          base::write_vector(at, y);
        }
      });
    else
      write_elements(mean, r);
  }
  ONEFOLD_DEVICE void write_elements(double mean, real r) const {
    with_affine([&](const auto& affine) {
      ONEFOLD_ROLLED
      for (std::int64_t at = lane_; at < count_; at += lanes_)
        y_[at] = base::rounded(affine.taken(real(centred(base::element(at), mean) * r), at));
    });
  }

  const layer_norm_rows& a_;
  std::int64_t* shared_;
};

/// Shape:  a launch of layer_norm_launch_of; dynamic shared memory: layer_norm_words<T>(threads).
/// Error:  each operation is rounded once, from the exact sums on.
/// Order:  none: the same bits for every batch and grid.
template <class T, row_way Way>
__global__ void __launch_bounds__(row_lanes, 2)
    layer_norm_kernel(layer_norm_rows a, unsigned lanes) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  layer_norm_task<T, Way>(a, lanes, shared).run();
}

struct layer_norm_start {
  void (*kernel)(layer_norm_rows a, unsigned lanes);
  std::size_t shared_bytes;
};
inline layer_norm_start layer_norm_start_of(const layer_norm_launch& launch) {
  return with_floating<layer_norm_start>(launch.rows.type, [&]<class T>(detail::tag<T>) {
    return layer_norm_start{launch.way == row_way::held ? layer_norm_kernel<T, row_way::held>
                            : launch.way == row_way::streamed
                                ? layer_norm_kernel<T, row_way::streamed>
                                : layer_norm_kernel<T, row_way::elements>,
                            layer_norm_words<T>(launch.threads) * sizeof(std::int64_t)};
  });
}

}  // namespace onefold::cuda
