// SPDX-License-Identifier: Apache-2.0
#pragma once
// The backward passes of softmax and log_softmax (docs/numerics/softmax.md): lanes hold y and g of
// their row until its sum is known, and write dx. Rows that no cluster holds are read again, and so
// are the elements that are in no whole vector of y, g and dx alike. The few rows whose sum is
// ambiguous are summed exactly after that.

#include "cuda/kernels/normalize/gradient_sums.cuh"
#include "cuda/kernels/normalize/softmax_launch.hpp"
#include "cuda/kernels/normalize/vector_limits.cuh"
#include "cuda/primitives/cluster.cuh"

namespace onefold::cuda {

template <bool Logarithm>
inline constexpr accumulator softmax_gradient_sums =
    Logarithm ? accumulator::total : accumulator::products;
template <bool Logarithm>
inline constexpr unsigned
    exact_row_words = unsigned(terms<softmax_gradient_sums<Logarithm>, float>::words + 1);

/// Words of 64 bits of dynamic shared memory: sums of a block's warps, and words of an exact sum
/// for each warp.
template <bool Logarithm>
ONEFOLD_HOST_DEVICE constexpr unsigned softmax_gradient_words(unsigned threads) {
  return threads / warp_lanes * (interval_sum::parts + exact_row_words<Logarithm>);
}

/// The sum of a row's g y, or g, exact but for one rounding. `warps` warps, each with its words,
/// share the row; every lane of them calls it.
template <class T, bool Logarithm>
ONEFOLD_COLD float exact_row_sum(const T* y, const T* g, std::int64_t n, std::int64_t* words,
                                 unsigned warps) {
  constexpr accumulator sums = softmax_gradient_sums<Logarithm>;
  using traits = terms<sums, float>;
  using fallback = exact_fallback<sums, float>;
  constexpr unsigned count = exact_row_words<Logarithm>;
  const unsigned warp = warps > 1 ? threadIdx.x / warp_lanes : 0;
  std::int64_t* const own = words + warp * count;
  warp_digits<traits::limbs, traits::words>(own).clear();
  __syncwarp();
  const auto value = [](const T* row, std::int64_t i) {
    return detail::to_bits(row_items<T>::value(detail::to_bits(row[i])));
  };
  ONEFOLD_ROLLED
  for (std::int64_t base = std::int64_t(warp) * fallback::step; base < n;
       base += std::int64_t(warps) * fallback::step) {
    typename fallback::bits a[fallback::per_lane], b[fallback::per_lane];
    ONEFOLD_UNROLL
    for (int i = 0; i < fallback::per_lane; ++i) {
      const std::int64_t at = base + i * std::int64_t(warp_lanes) + lane_index();
      a[i] = traits::format::sign_bit, b[i] = Logarithm ? a[i] : 0;  // a term of -0
      if (at >= n) continue;
      a[i] = value(g, at);
      b[i] = Logarithm ? a[i] : value(y, at);
    }
    fallback(nullptr, nullptr, own).add_loaded(a, b);
  }
  __syncwarp();
  if (warps > 1) {
    __syncthreads();
    ONEFOLD_ROLLED
    for (unsigned i = threadIdx.x; i < unsigned(traits::words); i += warps * warp_lanes)
      ONEFOLD_ROLLED
    for (unsigned w = 1; w < warps; ++w) words[i] += words[w * count + i];
    __syncthreads();
  }
  if (lane_index() == 0 && warp == 0) {
    if constexpr (!Logarithm) words[traits::limbs + 1] += words[traits::limbs + 5];  // Inf * 0
    detail::carry_digits<detail::all_checks>(words, traits::limbs);
    const bool minus = words[traits::limbs - 1] < 0;
    if (minus) detail::negate_digits<detail::all_checks>(words, traits::limbs);
    write_digits<sums, float, float>(words, minus, n, answer_form::kind::sum, words,
                                     2 * traits::words);
  }
  if (warps > 1)
    __syncthreads();
  else
    __syncwarp();
  const auto bits = std::uint32_t(reinterpret_cast<const std::uint32_t*>(words)[2 * traits::words]);
  __syncwarp();
  return detail::from_bits<float>(bits);
}

/// What the blocks of a cluster send each other.
struct softmax_gradient_slots {
  std::int64_t u[softmax_gradient_blocks], minus_d[softmax_gradient_blocks];
  cluster_mbarrier meeting;
};
ONEFOLD_DEVICE softmax_gradient_slots& gradient_slots_of_cluster() {
  __shared__ softmax_gradient_slots own;
  return own;
}

/// The row of a group of lanes. Held: its vectors stay in registers.
template <class T, bool Held, bool Logarithm>
class softmax_gradient_task : row_items<T> {
 public:
  /// shared: softmax_gradient_words.
  ONEFOLD_DEVICE softmax_gradient_task(const softmax_gradient_launch& a, std::int64_t* shared)
      : a_(a), shared_(shared), lane_(threadIdx.x) {
    const int log2_cluster = __ffs(int(a.cluster)) - 1;
    row_ = std::int64_t(blockIdx.y) * (gridDim.x >> log2_cluster) + (blockIdx.x >> log2_cluster);
    if (a.lanes <= warp_lanes) {
      const int log2_lanes = __ffs(int(a.lanes)) - 1;
      row_ = row_ * (blockDim.x >> log2_lanes) + (threadIdx.x >> log2_lanes);
      lane_ &= a.lanes - 1;
    } else if (a.cluster > 1) {
      lane_ += cluster_rank() * blockDim.x;
    }
    count_ = row_ < a.rows.rows ? index(a.rows.n) : 0;
    y_ = static_cast<const T*>(a.rows.y) + row_ * a.rows.stride;
    g_ = static_cast<const T*>(a.rows.g) + row_ * a.rows.g_stride;
    dx_ = static_cast<bits*>(a.rows.dx) + row_ * a.rows.n;
    first_ = end_ = 0;
    if (Held || a.way == row_way::streamed) {
      const auto past = unsigned(reinterpret_cast<std::uintptr_t>(y_) / sizeof(T)) % items;
      first_ = min(index((items - past) % items), count_);
      end_ = first_ + (count_ - first_) / items * items;
    }
  }

  ONEFOLD_DEVICE void run() const {
    products own;
    float sum;
    bool certified;
    if constexpr (Held) {
      uint4 y[vectors], g[vectors];
      ONEFOLD_UNROLL
      for (int i = 0; i < vectors; ++i) {
        y[i] = {}, g[i] = minus_zeros();
        if (place(i) < end_) y[i] = load_items(y_ + place(i)), g[i] = load_items(g_ + place(i));
      }
      begin();
      add_rest(own);
      add(own, y, g);
      certified = find_sum(own.total(), sum);
      if (certified) {
        if (makes_no_nan(y, sum))
          write<false>(y, g, sum);
        else
          write<true>(y, g, sum);
      }
    } else {
      begin();
      for_each_vector([&](index at) {
        const uint4 y[] = {load_items(y_ + at)}, g[] = {load_items(g_ + at)};
        add(own, y, g);
      });
      add_rest(own);
      certified = find_sum(own.total(), sum);
      if (certified)
        for_each_vector(
            [&](index at) { write<true>(at, load_items(y_ + at), load_items(g_ + at), sum); });
    }
    if (certified) for_each_of_rest([&](index at) { write_element(at, sum); });
    if (any_lane(!certified)) write_exactly(certified);
  }

 private:
  using base = row_items<T>;
  using base::items;
  using typename base::bits;
  using products = row_products<T>;
  using sums = gradient_terms<T>;
  // An index in a row: of held rows it is small.
  using index = std::conditional_t<Held, int, std::int64_t>;
  static constexpr int vectors = int(row_vectors);

  ONEFOLD_DEVICE static uint4 minus_zeros() {
    constexpr auto word = std::uint32_t(base::minus_zeros);
    return make_uint4(word, word, word, word);
  }
  // The first element of this lane's vector i.
  ONEFOLD_DEVICE index place(int i) const {
    return first_ + index(lane_ + unsigned(i) * a_.lanes) * items;
  }
  ONEFOLD_DEVICE static float element(const T* row, index at) {
    return base::value(detail::to_bits(row[at]));
  }

  // By every thread of a cluster, once its loads are on their way.
  ONEFOLD_DEVICE void begin() const {
    if constexpr (Logarithm) write_tables();
    if (a_.cluster == 1) return;
    if (threadIdx.x == 0) gradient_slots_of_cluster().meeting.begin();
    sync_cluster();
  }

  // take(first element) of each vector of this lane.
  template <class Take>
  ONEFOLD_DEVICE void for_each_vector(const Take& take) const {
    ONEFOLD_UNROLL_BY_4
    for (index at = place(0); at < end_; at += index(a_.lanes) * items) take(at);
  }
  // take(element) of those of this lane that are in no whole vector.
  template <class Take>
  ONEFOLD_DEVICE void for_each_of_rest(const Take& take) const {
    const index in_vectors = end_ - first_;
    const auto take_some = [&](index i) { take(i < first_ ? i : i + in_vectors); };
    if constexpr (Held) {
      ONEFOLD_ROLLED
      for (index i = index(lane_); i < count_ - in_vectors; i += index(a_.lanes)) take_some(i);
    } else {
      ONEFOLD_UNROLL_BY_4
      for (index i = index(lane_); i < count_ - in_vectors; i += index(a_.lanes)) take_some(i);
    }
  }
  ONEFOLD_DEVICE void add_rest(products& own) const {
    for_each_of_rest([&](index at) {
      const float g = element(g_, at);
      own.add(Logarithm ? 1 : g, Logarithm ? g : element(y_, at));
    });
  }

  template <int Vectors>
  ONEFOLD_DEVICE static void add(products& own, const uint4 (&y)[Vectors],
                                 const uint4 (&g)[Vectors]) {
    finite_vectors<std::conditional_t<sizeof(T) == 2, T, bf16>> finite;
    ONEFOLD_UNROLL
    for (int i = 0; i < Vectors; ++i) {
      float of_y[items], of_g[items];
      base::values(y[i], of_y), base::values(g[i], of_g);
      if constexpr (sizeof(T) == 2) finite.join(Logarithm ? g[i] : y[i]);
      ONEFOLD_UNROLL
      for (int j = 0; j < items; ++j) {
        const float a = Logarithm ? 1 : of_g[j], x = Logarithm ? of_g[j] : of_y[j];
        if constexpr (sizeof(T) == 2)
          own.add_finite(a, x);
        else
          own.add(a, x);
      }
    }
    if constexpr (sizeof(T) == 2) own.note(finite.all());
  }

  // The row's sum, and whether it is certain. Every lane of the cluster calls it.
  ONEFOLD_DEVICE bool find_sum(interval_sum total, float& sum) const {
    if (a_.lanes < warp_lanes) {
      join_group(total, a_.lanes);
    } else {
      const unsigned warps = a_.lanes > warp_lanes ? blockDim.x / warp_lanes : 1;
      sums::template join_warps<1>(&total, shared_, 0, warps, warps);
      if (a_.cluster > 1) join_blocks(total);
    }
    return products::scaled(total, 1, sum);
  }
  ONEFOLD_DEVICE void join_blocks(interval_sum& total) const {
    softmax_gradient_slots& slots = gradient_slots_of_cluster();
    if (threadIdx.x == 0) slots.meeting.expect(int(a_.cluster * 16));
    if (threadIdx.x < a_.cluster) {
      const unsigned own = cluster_rank();
      const auto send_end = [&](std::int64_t* local, double end) {
        send(local, threadIdx.x, std::int64_t(detail::to_bits(end)), slots.meeting);
      };
      send_end(&slots.u[own], total.u), send_end(&slots.minus_d[own], total.minus_d);
    }
    slots.meeting.wait(0);
    total = {};
    ONEFOLD_ROLLED
    for (unsigned i = 0; i < a_.cluster; ++i)
      total.join({__longlong_as_double(slots.u[i]), __longlong_as_double(slots.minus_d[i])});
  }

  ONEFOLD_DEVICE static float exponential(float reached) { return float(exponential_of(reached)); }
  // exponential: E(y) of log_softmax.
  ONEFOLD_DEVICE static float gradient(float y_or_exponential, float g, float sum) {
    if constexpr (Logarithm)
      return g - y_or_exponential * sum;
    else
      return (g - sum) * y_or_exponential;
  }
  // Whether that is no NaN for any of the lane's y: g is finite where the sum is. Differences
  // overflow from 2^103 on, exponentials from 88 on.
  ONEFOLD_DEVICE static bool makes_no_nan(const uint4 (&y)[vectors], float sum) {
    if constexpr (!Logarithm) return fabsf(sum) < 0x1p100f;
    largest_of_vectors<T> largest;
    ONEFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) largest.join(y[i]);
    return largest.value() <= 80 && sum - sum == 0;
  }
  template <bool May_Be_NaN>
  ONEFOLD_DEVICE void write(const uint4 (&y)[vectors], const uint4 (&g)[vectors], float sum) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < vectors; ++i)
      if (place(i) < end_) write<May_Be_NaN>(place(i), y[i], g[i], sum);
  }
  template <bool May_Be_NaN>
  ONEFOLD_DEVICE void write(index at, uint4 y, const uint4& g, float sum) const {
    if constexpr (Logarithm) y = May_Be_NaN ? vector_within_reach<T>(y) : vector_from_reach<T>(y);
    float d[items], of_g[items];
    base::values(y, d), base::values(g, of_g);
    ONEFOLD_UNROLL
    for (int j = 0; j < items; ++j) {
      if constexpr (Logarithm) d[j] = exponential(d[j]);
      d[j] = gradient(d[j], of_g[j], sum);
    }
    const auto made = base::template packed<May_Be_NaN>(d);
    write_once(reinterpret_cast<std::remove_const_t<decltype(made)>*>(dx_ + at), made);
  }
  ONEFOLD_DEVICE void write_element(index at, float sum) const {
    float y = element(y_, at);
    if constexpr (Logarithm) y = exponential(within_reach(y));
    dx_[at] = base::rounded(gradient(y, element(g_, at), sum));
  }

  // Rows whose sum is ambiguous. Every lane calls it: of the warp where rows share one, else of the
  // cluster.
  ONEFOLD_DEVICE void write_exactly(bool certified) const {
    const unsigned warps = a_.lanes > warp_lanes ? blockDim.x / warp_lanes : 1;
    std::int64_t* words = shared_ + blockDim.x / warp_lanes * unsigned(interval_sum::parts);
    float sum = 0;
    if (warps > 1) {
      sum = exact_row_sum<T, Logarithm>(y_, g_, a_.rows.n, words, warps);
      // What is written may be what another block reads.
      if (a_.cluster > 1) meet_cluster();
    } else {
      words += threadIdx.x / warp_lanes * exact_row_words<Logarithm>;
      ONEFOLD_ROLLED
      for (unsigned left = __ballot_sync(whole_warp, lane_ == 0 && !certified); left != 0;
           left &= left - 1) {
        const std::int64_t row =
            __shfl_sync(whole_warp, static_cast<long long>(row_), __ffs(int(left)) - 1);
        const float found = exact_row_sum<T, Logarithm>(
            static_cast<const T*>(a_.rows.y) + row * a_.rows.stride,
            static_cast<const T*>(a_.rows.g) + row * a_.rows.g_stride, a_.rows.n, words, 1);
        if (row_ == row) sum = found;
      }
    }
    if (certified) return;
    ONEFOLD_ROLLED
    for (index at = index(lane_); at < count_; at += index(a_.lanes)) write_element(at, sum);
  }

  const softmax_gradient_launch& a_;
  std::int64_t* shared_;
  unsigned lane_;  // of the row
  std::int64_t row_;
  index count_;        // its elements, none past the last row
  index first_, end_;  // of whole aligned vectors, which y, g and dx have in common
  const T *y_, *g_;
  bits* dx_;
};

/// Shape:  a launch of softmax_gradient_launch_of, with dynamic shared memory of
///         softmax_gradient_words.
/// Error:  dx as docs/numerics/softmax.md defines it.
/// Order:  none: the same bits for every batch and grid.
template <class T, bool Held, bool Logarithm>
__global__ void __launch_bounds__(row_lanes, 2)
    softmax_gradient_kernel(ONEFOLD_KERNEL_ARGUMENT softmax_gradient_launch a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  softmax_gradient_task<T, Held, Logarithm>(a, shared).run();
}

struct softmax_gradient_start {
  void (*kernel)(softmax_gradient_launch a);
  std::size_t shared_bytes;
};
template <class T, bool Logarithm>
softmax_gradient_start softmax_gradient_start_of(const softmax_gradient_launch& a) {
  return {a.way == row_way::held ? softmax_gradient_kernel<T, true, Logarithm>
                                 : softmax_gradient_kernel<T, false, Logarithm>,
          softmax_gradient_words<Logarithm>(a.threads) * sizeof(std::int64_t)};
}
template <class T>
softmax_gradient_start softmax_gradient_start_of(const softmax_gradient_launch& a) {
  return a.rows.logarithm ? softmax_gradient_start_of<T, true>(a)
                          : softmax_gradient_start_of<T, false>(a);
}
inline softmax_gradient_start softmax_gradient_start_of(const softmax_gradient_launch& a) {
  return a.rows.type == dtype::f16    ? softmax_gradient_start_of<f16>(a)
         : a.rows.type == dtype::bf16 ? softmax_gradient_start_of<bf16>(a)
                                      : softmax_gradient_start_of<float>(a);
}

}  // namespace onefold::cuda
