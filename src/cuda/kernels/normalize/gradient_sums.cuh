// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sums of a backward pass: of a row, the products of gradients and elements, and of centred
// rows the gradients; of a column, terms of the gradients of weight and bias. Intervals decide
// almost all of them, exact arithmetic the rest. docs/numerics/rms-norm.md has the proofs.

#include "cuda/kernels/normalize/gradient_launch.hpp"
#include "cuda/kernels/normalize/row_items.cuh"
#include "cuda/rounding/fallback.cuh"
#include "request/layer_norm_rows.hpp"

namespace onefold::cuda {

/// How the products of a row and the terms of a column are added up.
template <class T>
struct gradient_terms {
  using sum = interval_sum;
  /// a x: a double.
  ONEFOLD_DEVICE static void add_product(sum& to, float a, float x) {
    to.u = __fma_ru(double(a), double(x), to.u);
    to.minus_d = __fma_ru(-double(a), double(x), to.minus_d);
  }
  ONEFOLD_DEVICE static void add(sum& to, float term) { to.add(term); }
  /// The sums of some whole warps of a block, `first` and on, in each of their lanes. meeting:
  /// words for the parts of `all` warps, [Sums][parts][all]. Every lane of the block calls it.
  template <int Sums>
  ONEFOLD_DEVICE static void join_warps(sum* totals, std::int64_t* meeting, unsigned first,
                                        unsigned warps, unsigned all) {
    // Lanes of the upper half add the lower ends.
    const bool upper = lane_index() >= warp_lanes / 2;
    std::int64_t* const part = meeting + (upper ? all : 0);
    const unsigned place = lane_index() % 16;
    double own[Sums];
    ONEFOLD_UNROLL
    for (int i = 0; i < Sums; ++i) {
      const double u = totals[i].u, minus_d = totals[i].minus_d;
      own[i] = upper ? minus_d : u;
      own[i] = __dadd_ru(own[i], __shfl_xor_sync(whole_warp, upper ? u : minus_d, 16));
      own[i] = joined_half(own[i]);
      if (warps > 1 && place == 0)
        part[i * 2 * all + threadIdx.x / warp_lanes] = __double_as_longlong(own[i]);
    }
    if (warps > 1) __syncthreads();
    ONEFOLD_UNROLL
    for (int i = 0; i < Sums; ++i) {
      if (warps > 1) {
        own[i] = upper ? 0 : -0.0;
        if (place < warps) own[i] = __longlong_as_double(part[i * 2 * all + first + place]);
        own[i] = joined_half(own[i]);
      }
      totals[i].u = __shfl_sync(whole_warp, own[i], 0);
      totals[i].minus_d = __shfl_sync(whole_warp, own[i], 16);
    }
  }
  /// c = RN(RN(D) q), D the sum. False: it is ambiguous. Rounding is monotonous, so c is between
  /// what the ends give. What is not finite comes from an element, and is in both ends.
  ONEFOLD_DEVICE static bool scaled(const sum& total, double q, float& c) {
    c = float(total.u * q);
    const float below = float(-total.minus_d * q);
    return __float_as_uint(c) == __float_as_uint(below) || total.u == -total.minus_d ||
           (c != c && below != below);
  }
  /// c = RN(RN(A) / n), A the sum, likewise.
  ONEFOLD_DEVICE static bool mean(const sum& total, std::int64_t n, const quotient_bounds& by,
                                  float& c) {
    c = float(quotient_up(total.u, by));
    const float below = -float(quotient_up(total.minus_d, by));
    if (__float_as_uint(c) == __float_as_uint(below) && c - c == 0) return true;
    c = float(total.u / double(n));
    return total.u == -total.minus_d;
  }

 private:
  // The sum of 16 neighbours.
  ONEFOLD_DEVICE static double joined_half(double own) {
    ONEFOLD_UNROLL
    for (int mask = 1; mask < 16; mask *= 2)
      own = __dadd_ru(own, __shfl_xor_sync(whole_warp, own, mask));
    return own;
  }
};

template <>
struct gradient_terms<double> {
  using sum = pair_sum;
  ONEFOLD_DEVICE static void add_product(sum& to, double a, double x) { to.add_product(a, x); }
  ONEFOLD_DEVICE static void add(sum& to, double term) { to.add(term); }
  template <int Sums>
  ONEFOLD_DEVICE static void join_warps(sum* totals, std::int64_t* meeting, unsigned first,
                                        unsigned warps, unsigned all) {
    ONEFOLD_UNROLL
    for (int i = 0; i < Sums; ++i) {
      join_group(totals[i], warp_lanes);
      if (warps > 1 && lane_index() == 0)
        write_sum(totals[i], meeting + i * sum::parts * all + threadIdx.x / warp_lanes, all);
    }
    if (warps == 1) return;
    __syncthreads();
    ONEFOLD_UNROLL
    for (int i = 0; i < Sums; ++i) {
      const std::int64_t* const from = meeting + i * sum::parts * all + first;
      totals[i] = read_sum<sum>(from, all);
      ONEFOLD_ROLLED
      for (unsigned w = 1; w < warps; ++w) totals[i].join(read_sum<sum>(from + w, all));
    }
  }
  /// What is not finite may be an overflow: ambiguous.
  ONEFOLD_DEVICE static bool scaled(const sum& total, double q, double& c) {
    std::uint64_t bits;
    const bool certified = ends_meet(total.s, total.u, total.minus_d, bits);
    c = detail::from_bits<double>(bits) * q;
    return certified;
  }
  ONEFOLD_DEVICE static bool mean(const sum& total, std::int64_t n, const quotient_bounds&,
                                  double& c) {
    std::uint64_t bits;
    const bool certified = ends_meet(total.s, total.u, total.minus_d, bits);
    c = detail::from_bits<double>(bits) / double(n);
    return certified;
  }
};

/// The products of a row that one lane adds up. Centred: of centred elements.
template <class T, bool Centred = false>
class row_products {
 public:
  using terms = gradient_terms<T>;
  using sum = typename terms::sum;
  using real = typename row_items<T>::real;

  ONEFOLD_DEVICE void add(real a, real x) { terms::add_product(total_, a, x); }
  ONEFOLD_DEVICE sum total() const { return total_; }
  ONEFOLD_DEVICE static bool scaled(const sum& total, double q, real& c) {
    return terms::scaled(total, q, c);
  }

 private:
  sum total_;
};

/// Of 16-bit elements, whose last bits as floats are zeros, and of centred floats, with x times
/// 2^-896. Infinities and NaNs would become numbers: x * 0 finds them. Products may underflow:
/// directed rounding keeps both ends on their sides.
template <class T, bool Centred>
requires(sizeof(T) == 2 || (Centred && sizeof(T) == 4)) class row_products<T, Centred> {
 public:
  using sum = interval_sum;

  ONEFOLD_DEVICE void add(float a, float x) {
    add_finite(a, x);
    special_ = __fmaf_rn(x, 0, special_);
  }
  /// Precondition: x is finite, or note(false) is called.
  ONEFOLD_DEVICE void add_finite(float a, float x) {
    const double small = scaled_down<Centred>(x);
    total_.u = __fma_ru(double(a), small, total_.u);
    total_.minus_d = __fma_ru(-double(a), small, total_.minus_d);
  }
  ONEFOLD_DEVICE void note(bool all_finite) {
    if (!all_finite) special_ = 1;
  }
  ONEFOLD_DEVICE sum total() const {
    sum total = total_;
    if (special_ != 0) total.u = __longlong_as_double(0x7FF8000000000000);
    return total;
  }
  /// What is not finite is ambiguous.
  ONEFOLD_DEVICE static bool scaled(sum total, double q, float& c) {
    total.u *= 0x1p896, total.minus_d *= 0x1p896;
    return gradient_terms<T>::scaled(total, q, c) && total.u - total.u == 0;
  }

 private:
  sum total_;
  float special_ = 0;
};

/// The elements that a row or a column of a gradient is made of.
template <class T>
struct gradient_elements : row_items<T> {
  using typename row_items<T>::real;
  using row_items<T>::value;
  const norm_gradients& rows;

  ONEFOLD_DEVICE explicit gradient_elements(const norm_gradients& given) : rows(given) {}
  ONEFOLD_DEVICE const T* x(std::int64_t row) const {
    return static_cast<const T*>(rows.x) + row * rows.stride;
  }
  ONEFOLD_DEVICE const T* g(std::int64_t row) const {
    return static_cast<const T*>(rows.g) + row * rows.g_stride;
  }
  ONEFOLD_DEVICE real weight(std::int64_t column) const {
    if (rows.weight == nullptr) return 1;
    if constexpr (sizeof(T) == 2)
      if (rows.float_weight) return static_cast<const float*>(rows.weight)[column];
    return value(detail::to_bits(static_cast<const T*>(rows.weight)[column]));
  }
  ONEFOLD_DEVICE static real at(const T* row, std::int64_t column) {
    return value(detail::to_bits(row[column]));
  }
  /// What is multiplied in a row: its element, of centred rows less the mean.
  ONEFOLD_DEVICE real own(std::int64_t row, std::int64_t column) const {
    const real own = at(x(row), column);
    return rows.centred ? centred(own, rows.mean[row]) : own;
  }
  ONEFOLD_DEVICE static real term(real g, real x, real r) { return g * (x * r); }
};

template <class Real>
inline constexpr int dot_words = terms<accumulator::products, Real>::words + 1;
template <class Real>
inline constexpr int column_sum_words = terms<accumulator::total, Real>::words;

/// q of a row: each operation is rounded.
ONEFOLD_DEVICE double scale_factor(double r, std::int64_t n) {
  return r * r * r / double(n);
}

/// The exact sum of a row's weighted gradients times its elements, or times ones, rounded once, by
/// the whole warp. words: dot_words of shared memory, the warp's own.
template <class T>
ONEFOLD_COLD double exact_dot(const norm_gradients& rows, std::int64_t row, bool ones,
                              std::int64_t* words) {
  const gradient_elements<T> elements(rows);
  using real = typename gradient_elements<T>::real;
  constexpr accumulator products = accumulator::products;
  using traits = terms<products, real>;
  using fallback = exact_fallback<products, real>;
  warp_digits<traits::limbs, traits::words>(words).clear();
  __syncwarp();
  const T* const g = elements.g(row);
  ONEFOLD_ROLLED
  for (std::int64_t base = 0; base < rows.n; base += fallback::step) {
    typename fallback::bits a[fallback::per_lane], b[fallback::per_lane];
    ONEFOLD_UNROLL
    for (int i = 0; i < fallback::per_lane; ++i) {
      const std::int64_t at = base + i * std::int64_t(warp_lanes) + lane_index();
      a[i] = traits::format::sign_bit, b[i] = 0;  // a product of -0
      if (at >= rows.n) continue;
      a[i] = detail::to_bits(real(elements.at(g, at) * elements.weight(at)));
      b[i] = detail::to_bits(ones ? real(1) : elements.own(row, at));
    }
    fallback(nullptr, nullptr, words).add_loaded(a, b);
  }
  __syncwarp();
  if (lane_index() == 0) {
    words[traits::limbs + 1] += words[traits::limbs + 5];  // Inf * 0
    detail::carry_digits<detail::all_checks>(words, traits::limbs);
    const bool minus = words[traits::limbs - 1] < 0;
    if (minus) detail::negate_digits<detail::all_checks>(words, traits::limbs);
    write_digits<products, real, double>(words, minus, rows.n, answer_form::kind::sum, words,
                                         traits::words);
  }
  __syncwarp();
  const auto bits = std::uint64_t(words[traits::words]);
  __syncwarp();
  return detail::from_bits<double>(bits);
}

/// The exact sum of a column's terms, or of its gradients for dbias, by the whole block, which
/// writes it rounded. words: column_sum_words of shared memory for each warp.
template <class T>
ONEFOLD_COLD void exact_column(const norm_gradients& rows, std::int64_t column, bool bias,
                               dtype output, std::int64_t* words) {
  const gradient_elements<T> elements(rows);
  using real = typename gradient_elements<T>::real;
  constexpr accumulator total = accumulator::total;
  using fallback = exact_fallback<total, real>;
  constexpr int count = column_sum_words<real>;
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  std::int64_t* const own = words + warp * count;
  warp_digits<terms<total, real>::limbs, count>(own).clear();
  __syncwarp();
  ONEFOLD_ROLLED
  for (std::int64_t base = std::int64_t(warp) * fallback::step; base < rows.rows;
       base += std::int64_t(warps) * fallback::step) {
    typename fallback::bits a[fallback::per_lane], b[fallback::per_lane];
    ONEFOLD_UNROLL
    for (int i = 0; i < fallback::per_lane; ++i) {
      const std::int64_t row = base + i * std::int64_t(warp_lanes) + lane_index();
      a[i] = b[i] = fallback::traits::format::sign_bit;
      if (row >= rows.rows) continue;
      const real g = elements.at(elements.g(row), column);
      a[i] = detail::to_bits(
          bias ? g : elements.term(g, elements.own(row, column), real(rows.inverse[row])));
    }
    fallback(nullptr, nullptr, own).add_loaded(a, b);
  }
  __syncthreads();
  if (warp == 0) {
    ONEFOLD_ROLLED
    for (int i = int(lane_index()); i < count; i += int(warp_lanes)) ONEFOLD_ROLLED
    for (unsigned w = 1; w < warps; ++w) words[i] += words[w * count + i];
    __syncwarp();
    if (lane_index() == 0)
      finish_digits<total, real>(words, rows.rows, answer_form::kind::sum, output,
                                 bias ? rows.dbias : rows.dweight, column);
  }
  __syncthreads();
}

}  // namespace onefold::cuda
