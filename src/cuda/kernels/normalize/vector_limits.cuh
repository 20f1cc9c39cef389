// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of a vector, two of 16 bits at a time: as far as exponentials of them are normal
// doubles, the largest one, and whether all are finite.

#include "cuda/primitives/exponential.cuh"
#include "cuda/primitives/pairs.cuh"

namespace onefold::cuda {

template <class T>
ONEFOLD_DEVICE std::uint32_t greater_words(std::uint32_t a, std::uint32_t b) {
  if constexpr (sizeof(T) == 2)
    return greater_halves_or_nan<T>(a, b);
  else
    return detail::to_bits(
        greater_or_nan(detail::from_bits<float>(a), detail::from_bits<float>(b)));
}
template <class T>
ONEFOLD_DEVICE std::uint32_t lesser_words(std::uint32_t a, std::uint32_t b) {
  if constexpr (sizeof(T) == 2)
    return lesser_halves_or_nan<T>(a, b);
  else
    return detail::to_bits(lesser_or_nan(detail::from_bits<float>(a), detail::from_bits<float>(b)));
}

/// The bits of one or two elements.
template <class T>
ONEFOLD_HOST_DEVICE constexpr std::uint32_t word_of_all(typename detail::float_format<T>::bits x) {
  return sizeof(T) == 2 ? x * 0x10001u : std::uint32_t(x);
}
template <class T>
inline constexpr std::uint32_t reach_word =  // exponential_reach
    word_of_all<T>(std::is_same_v<T, f16> ? 0x6178
                   : sizeof(T) == 2       ? 0x442F
                                          : 0x442F0000);
template <class T>
inline constexpr std::uint32_t sign_word = word_of_all<T>(detail::float_format<T>::sign_bit);

template <class T>
ONEFOLD_DEVICE std::uint32_t word_within_reach(std::uint32_t x) {
  return lesser_words<T>(greater_words<T>(x, reach_word<T> | sign_word<T>), reach_word<T>);
}
/// The elements within exponential_reach of 0; of NaNs NaNs.
template <class T>
ONEFOLD_DEVICE uint4 vector_within_reach(const uint4& x) {
  return make_uint4(word_within_reach<T>(x.x), word_within_reach<T>(x.y), word_within_reach<T>(x.z),
                    word_within_reach<T>(x.w));
}

/// The same of elements that are not greater; NaNs may become anything.
template <class T>
ONEFOLD_DEVICE uint4 vector_from_reach(const uint4& x) {
  constexpr std::uint32_t least = reach_word<T> | sign_word<T>;
  return make_uint4(greater_words<T>(x.x, least), greater_words<T>(x.y, least),
                    greater_words<T>(x.z, least), greater_words<T>(x.w, least));
}

/// The elements with -Inf in place of one.
template <class T>
ONEFOLD_DEVICE uint4 without_item(uint4 x, int item) {
  using format = detail::float_format<T>;
  constexpr int width = 8 * int(sizeof(T)), each = 32 / width;
  constexpr std::uint32_t whole = sizeof(T) == 2 ? 0xFFFF : ~0u;
  constexpr std::uint32_t lowest = std::uint32_t(format::infinity) | format::sign_bit;
  const int word = item / each, shift = item % each * width;
  const auto replaced = [&](int i, std::uint32_t bits) {
    return i == word ? (bits & ~(whole << shift)) | lowest << shift : bits;
  };
  return make_uint4(replaced(0, x.x), replaced(1, x.y), replaced(2, x.z), replaced(3, x.w));
}

/// The largest element of some vectors, or NaN where one is; -Inf of none.
template <class T>
class largest_of_vectors {
 public:
  ONEFOLD_DEVICE void join(const uint4& x) {
    found_ = greater_words<T>(
        found_, greater_words<T>(greater_words<T>(x.x, x.y), greater_words<T>(x.z, x.w)));
  }
  ONEFOLD_DEVICE float value() const {
    if constexpr (sizeof(T) == 2)
      return greater_or_nan(float_of<T>(std::uint16_t(found_)),
                            float_of<T>(std::uint16_t(found_ >> 16)));
    else
      return detail::from_bits<float>(found_);
  }

 private:
  std::uint32_t found_ = word_of_all<T>(detail::float_format<T>::infinity) | sign_word<T>;
};

/// Whether all elements of some vectors of 16-bit elements are finite.
template <class T>
class finite_vectors {
 public:
  ONEFOLD_DEVICE void join(const uint4& x) { join(x.x), join(x.y), join(x.z), join(x.w); }
  ONEFOLD_DEVICE bool all() const { return found_ == 0; }

 private:
  ONEFOLD_DEVICE void join(std::uint32_t x) { found_ = plus_zero_times<T>(x, found_); }

  std::uint32_t found_ = 0;
};

}  // namespace onefold::cuda
