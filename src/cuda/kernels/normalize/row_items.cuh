// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of a vector as numbers, results as a vector of elements, and numbers of the columns,
// which those of every row are multiplied by or added to.

#include "cuda/rounding/plain_answer.cuh"
#include "cuda/rounding/rounded_pair.cuh"

namespace onefold::cuda {

/// x times 2^-896: a double whose field of the exponent is that of x is that, also of subnormal
/// ones, so that nothing is converted. Infinities and NaNs become numbers. All_Bits: else the last
/// three are zeros, as of elements of 16 bits.
template <bool All_Bits>
ONEFOLD_DEVICE double scaled_down(float x) {
  const auto high = std::uint32_t(__float_as_int(x) >> 3) & 0x8FFFFFFF;
  const std::uint32_t low = All_Bits ? std::uint32_t(__float_as_int(x)) << 29 : 0;
  return detail::from_bits<double>(std::uint64_t(high) << 32 | low);
}

template <class T>
struct row_items {
  using bits = typename detail::float_format<T>::bits;
  using real = std::conditional_t<sizeof(T) == 8, double, float>;
  static constexpr int items = vector_items<T>;
  struct alignas(16) rounded_vector {
    std::conditional_t<sizeof(T) == 2, std::uint32_t, bits> words[sizeof(T) == 8 ? 2 : 4];
  };

  ONEFOLD_DEVICE static real value(bits a) { return number_of<T>(a); }
  ONEFOLD_DEVICE static void values(const vector_of<T>& x, real (&to)[items]) {
    values(x, to, std::make_integer_sequence<int, items>());
  }

  /// Eight bytes of elements -0.
  static constexpr auto minus_zeros = std::int64_t(
      ~std::uint64_t(0) / bits(~bits(0)) * std::uint64_t(detail::float_format<T>::sign_bit));

  ONEFOLD_DEVICE static bits rounded(real y) {
    if constexpr (sizeof(T) == 2)
      return rounded_bits<T>(y);
    else
      return y != y ? detail::float_format<T>::quiet_nan : detail::to_bits(y);
  }
  /// The same as elements.
  ONEFOLD_DEVICE static vector_of<T> vector_bits(const rounded_vector& made) {
    if constexpr (sizeof(T) == 8)
      return {made.words[0], made.words[1]};
    else
      return make_uint4(made.words[0], made.words[1], made.words[2], made.words[3]);
  }
  /// May_Be_NaN: or the caller knows that none is.
  template <bool May_Be_NaN>
  ONEFOLD_DEVICE static rounded_vector packed(const real (&y)[items]) {
    rounded_vector made;
    if constexpr (sizeof(T) == 2) {
      round_pairs<May_Be_NaN>(y, made);
    } else {
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i)
        made.words[i] = May_Be_NaN ? rounded(y[i]) : detail::to_bits(y[i]);
    }
    return made;
  }

 private:
  template <int... I>
  ONEFOLD_DEVICE static void values(const vector_of<T>& x, real (&to)[items],
                                    std::integer_sequence<int, I...>) {
    ((to[I] = value(bits_in<T, I>(x))), ...);
  }
  template <bool May_Be_NaN>
  ONEFOLD_DEVICE static void round_pairs(const real (&y)[items], rounded_vector& made) {
    bool numbers = true;
    ONEFOLD_UNROLL
    for (int i = 0; i < items; i += 2) {
      numbers &= !May_Be_NaN || (y[i] == y[i] && y[i + 1] == y[i + 1]);
      made.words[i / 2] = rounded_pair<T>(y[i], y[i + 1]);
    }
    if (numbers) return;
    ONEFOLD_UNROLL
    for (int i = 0; i < items; i += 2)
      made.words[i / 2] = std::uint32_t(rounded(y[i + 1])) << 16 | rounded(y[i]);
  }
};

/// Weights of another type than the elements', or of theirs; and none.
template <class W>
struct row_weights {
  using bits = typename detail::float_format<W>::bits;
  const W* at;

  ONEFOLD_DEVICE auto value(bits a) const { return number_of<W>(a); }
  ONEFOLD_DEVICE auto operator()(std::int64_t i) const { return value(detail::to_bits(at[i])); }
  /// Multiplies consecutive numbers. Weights are read by every row: L1 keeps them.
  template <class Real, int Items>
  ONEFOLD_DEVICE void multiply(Real (&y)[Items], std::int64_t first) const {
    each(y, first, [](Real& a, Real w) { a *= w; });
  }
  template <class Real, int Items>
  ONEFOLD_DEVICE void add(Real (&y)[Items], std::int64_t first) const {
    each(y, first, [](Real& a, Real w) { a += w; });
  }

 private:
  template <class Real, int Items, class Step>
  ONEFOLD_DEVICE void each(Real (&y)[Items], std::int64_t first, const Step& step) const {
    const auto* const from = reinterpret_cast<const uint4*>(at + first);
    constexpr int items = vector_items<W>;
    ONEFOLD_UNROLL
    for (int i = 0; i < Items / items; ++i)
      each(y, items * i, __ldg(from + i), step, std::make_integer_sequence<int, items>());
  }
  template <class Real, int Items, class Step, int... I>
  ONEFOLD_DEVICE void each(Real (&y)[Items], int first, const uint4& w, const Step& step,
                           std::integer_sequence<int, I...>) const {
    (step(y[first + I], value(bits_in<W, I>(w))), ...);
  }
};
struct no_weights {
  ONEFOLD_DEVICE float operator()(std::int64_t) const { return 1; }
  template <class Real, int Items>
  ONEFOLD_DEVICE void multiply(Real (&)[Items], std::int64_t) const {}
};

}  // namespace onefold::cuda
