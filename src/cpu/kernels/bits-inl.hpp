// SPDX-License-Identifier: Apache-2.0
// The SIMD loop of bitwise and, or and xor, compiled for each target. It processes words, whatever
// the type.
#if defined(ONEFOLD_CPU_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BITS_INL
#undef ONEFOLD_CPU_BITS_INL
#else
#define ONEFOLD_CPU_BITS_INL
#endif

#include <hwy/highway.h>

#include <cstring>

#include "cpu/kernels/extrema-inl.hpp"
#include "cpu/kernels/operator_kernels.hpp"
#include "cpu/kernels/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline void fold_word(folded_words& to, std::uint64_t all, std::uint64_t any, std::uint64_t odd) {
  to.all &= all, to.any |= any, to.odd ^= odd;
}

inline folded_words fold_bits(const void* data, std::int64_t bytes) {
  const lane_tag<std::uint64_t> d;
  const auto* x = static_cast<const std::uint8_t*>(data);
  const auto width = std::int64_t(8 * hn::Lanes(d));
  auto all = hn::Set(d, ~std::uint64_t(0)), any = hn::Zero(d), odd = hn::Zero(d);
  auto all_2 = all, any_2 = any, odd_2 = odd;
  const auto take = [&](const std::uint8_t* at) HWY_ATTR {
    const auto bits = load_words(d, at);
    all = hn::And(all, bits), any = hn::Or(any, bits), odd = hn::Xor(odd, bits);
  };
  const auto take_2 = [&](const std::uint8_t* at) HWY_ATTR {
    const auto bits = load_words(d, at);
    all_2 = hn::And(all_2, bits), any_2 = hn::Or(any_2, bits), odd_2 = hn::Xor(odd_2, bits);
  };
  for (; bytes >= 4 * width; bytes -= 4 * width, x += 4 * width) {
    for (std::int64_t line = 0; line < 4 * width; line += 64) prefetch_ahead(x + line);
    take(x), take_2(x + width), take(x + 2 * width), take_2(x + 3 * width);
  }
  all = hn::And(all, all_2), any = hn::Or(any, any_2), odd = hn::Xor(odd, odd_2);
  for (; bytes >= width; bytes -= width, x += width) take(x);
  constexpr std::size_t lanes = hn::MaxLanes(lane_tag<std::uint64_t>());
  HWY_ALIGN std::uint64_t all_bits[lanes], anys[lanes], odds[lanes];
  hn::Store(all, d, all_bits), hn::Store(any, d, anys), hn::Store(odd, d, odds);
  folded_words made;
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) fold_word(made, all_bits[k], anys[k], odds[k]);
  for (; bytes > 0; bytes -= 8, x += 8) {
    const auto size = std::size_t(bytes < 8 ? bytes : 8);
    std::uint64_t ones = ~std::uint64_t(0), zeros = 0;
    std::memcpy(&ones, x, size), std::memcpy(&zeros, x, size);
    fold_word(made, ones, zeros, zeros);
  }
  return made;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
