// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentials of the elements of a chunk relative to its largest one, by the CPU's operations, so
// with the CPU's bits (docs/numerics/logsumexp.md): of f64 doubles, whose sum has an order; of
// narrower floats fixed-point terms (state/exponential_terms.hpp), whose sum has none.

#include "cuda/parts/exponential.cuh"
#include "cuda/parts/warp.cuh"
#include "state/exponential_terms.hpp"

#include <type_traits>
#include <utility>

namespace onefold::cuda {

/// The table of the terms, in shared memory: from the last power to the first.
struct alignas(128) term_powers {
  std::uint32_t of[exponential::term_steps];
};
template <int I>
inline constexpr std::uint32_t term_power =
    exponential::term_powers[exponential::term_steps - 1 - I];

template <int... I>
ONEFOLD_DEVICE void write_term_powers(std::uint32_t* to, std::integer_sequence<int, I...>) {
  ((threadIdx.x == unsigned(I) ? void(to[I] = term_power<I>) : void()), ...);
}
/// By the threads of a block, which has to meet before it reads the table.
ONEFOLD_DEVICE void write_term_powers(term_powers& to) {
  write_term_powers(to.of, std::make_integer_sequence<int, exponential::term_steps>());
}

/// powers.of[bits % term_steps].
ONEFOLD_DEVICE std::uint32_t power_at(const term_powers& powers, std::uint32_t bits) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  return powers.of[bits % exponential::term_steps];
#else
  // As the table is aligned to its size, one instruction masks the place and adds the address.
  static_assert(sizeof(term_powers) == 128 && alignof(term_powers) == 128);
  const auto begin = std::uint32_t(__cvta_generic_to_shared(&powers));
  std::uint32_t power;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(power) : "r"(begin | (bits << 2 & 124)));
  return power;
#endif
}
/// x >> places; 0 from 64 places on.
ONEFOLD_DEVICE std::uint64_t shifted_down(std::uint64_t x, std::uint32_t places) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  return places < 64 ? x >> places : 0;
#else
  asm("shr.u64 %0, %0, %1;" : "+l"(x) : "r"(places));
  return x;
#endif
}
/// What is added for the elements of a chunk of T.
template <class T>
using exponential_sum = std::conditional_t<sizeof(T) == 8, double, std::uint64_t>;

template <class T>
class chunk_exponentials {
 public:
  /// largest: the largest element; of use if it is finite.
  ONEFOLD_DEVICE chunk_exponentials(double largest, const term_powers& powers)
      : largest_(float(largest)), scale_(exponential::scale_of(largest_)), powers_(powers),
        top_(std::uint32_t(scale_.exponent + exponential::term_guard -
                           exponential::float_integer_bits / exponential::term_steps)) {}

  /// Of each element its term; of -Inf and NaN 0.
  template <bool Near, int N>
  ONEFOLD_DEVICE void terms_of(const double (&x)[N], std::uint64_t (&terms)[N]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) terms[i] = term_of(float(x[i]));
  }
  ONEFOLD_DEVICE std::uint64_t term_of(float x) const {
    return term_from(x - scale_.origin,
                     [this](std::uint32_t bits) { return power_at(powers_, bits); });
  }

  /// The same where the chunk has no origin.
  ONEFOLD_DEVICE std::uint64_t term_without_origin(float x) const {
    return term_from(x, [this](std::uint32_t bits) { return power_at(powers_, bits); });
  }

  ONEFOLD_DEVICE bool has_origin() const { return scale_.origin != 0; }
  /// The same of origin + d, by every lane of a warp at once. own_power: powers.of[lane_index()]; a
  /// shuffle masks the place and takes one instruction instead of three.
  ONEFOLD_DEVICE std::uint64_t warp_term_from(float d, std::uint32_t own_power) const {
    return term_from(d, [own_power](std::uint32_t bits) {
      return std::uint32_t(__shfl_sync(whole_warp, int(own_power), int(bits)));
    });
  }

  ONEFOLD_DEVICE const exponential::term_scale& scale() const { return scale_; }
  /// Of all terms of the chunk, at least one.
  ONEFOLD_DEVICE exponential::scaled_sum scaled(std::uint64_t sum) const {
    if (sum == term_of(largest_)) return {double(largest_) + 0.0, 1};
    return {has_origin() ? double(scale_.origin) : scale_.exponent * exponential::log_of_2,
            double(sum) * exponential::term_unit};
  }

 private:
  /// exponential::scaled_term with k counted downwards. 31 - k rounds to the integer that k itself
  /// gives: 32 / log 2 as a float has an odd significand above 2^23, so d times it is not halfway
  /// between integers below 2^22. Its upper bits count binades below that of 0, as the shift does;
  /// its lower ones are the place in the table. What is below the reach, -Inf or NaN is shifted by
  /// 63 places or more.
  template <class PowerOf>
  ONEFOLD_DEVICE std::uint64_t term_from(float d, const PowerOf& power_of) const {
    using namespace exponential;
    constexpr float ulp = float_integer_ulp + float(term_steps - 1);
    const float shifted = __fmaf_rn(d, -steps_of_log_2, ulp), k = shifted - ulp;
    const float r = __fmaf_rn(k, step_low, __fmaf_rn(k, step_high, d));
    const float slope = __fmaf_rn(r, __fmaf_rn(r, term_third, term_second), term_first);
    const auto factor = __builtin_bit_cast(std::uint32_t, __fmaf_rn(r, slope, term_one));
    const auto bits = __builtin_bit_cast(std::uint32_t, shifted);
    return shifted_down(std::uint64_t(power_of(bits)) * factor, top_ + bits / term_steps);
  }

  float largest_;
  exponential::term_scale scale_;
  const term_powers& powers_;
  std::uint32_t top_;
};

template <>
class chunk_exponentials<double> {
 public:
  ONEFOLD_DEVICE chunk_exponentials(double largest, const term_powers&) : largest_(largest) {}

  /// Near: no element is a NaN, or so far below that its exponential is 0.
  template <bool Near, int N>
  ONEFOLD_DEVICE void terms_of(const double (&x)[N], double (&terms)[N]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) terms[i] = x[i] - largest_;
    __syncwarp();  // or the compiler computes them one by one, each a chain of latencies
    exponentials_of<Near>(terms);
  }
  ONEFOLD_DEVICE double term_of(double x) const { return exponential_of(x - largest_); }
  ONEFOLD_DEVICE exponential::scaled_sum scaled(double sum) const { return {largest_, sum}; }

 private:
  double largest_;
};

}  // namespace onefold::cuda
