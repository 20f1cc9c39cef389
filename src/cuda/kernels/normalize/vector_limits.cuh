// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of a vector, two of 16 bits at a time: as far as exponentials of them are normal
// doubles, and the largest one.

#include "cuda/primitives/exponential.cuh"

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

}  // namespace onefold::cuda
