// SPDX-License-Identifier: Apache-2.0
// The SIMD loops of extrema, counts and bitwise operators, compiled for every target. Bitwise
// operators process words, whatever the type.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/operator_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cstring>

#include "cpu/kernels/extrema-inl.hpp"
#include "cpu/kernels/operator_kernels.hpp"
#include "cpu/kernels/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
chunk_counts count_integers(const void* data, std::int64_t n) {
  const lane_tag<Lane> d;
  const auto* const x = static_cast<const Lane*>(data);
  const auto width = std::int64_t(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  std::int64_t zeros[2] = {}, i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    prefetch_ahead(x + i), prefetch_ahead(x + i + width);
    zeros[0] += std::int64_t(hn::CountTrue(d, hn::Eq(hn::LoadU(d, x + i), zero)));
    zeros[1] += std::int64_t(hn::CountTrue(d, hn::Eq(hn::LoadU(d, x + i + width), zero)));
  }
  for (; i < n; ++i) zeros[0] += x[i] == 0;
  return {zeros[0] + zeros[1], 0};
}

// A NaN has a magnitude above that of infinity, as integers.
template <class T, class Lane>
std::int64_t count_nans(const Lane* x, std::int64_t n) {
  using format = detail::float_format<T>;
  const lane_tag<Lane> d;
  const auto width = std::int64_t(hn::Lanes(d));
  const auto magnitude = hn::Set(d, Lane(format::sign_bit - 1));
  const auto infinity = hn::Set(d, Lane(format::infinity));
  std::int64_t nans = 0, i = 0;
  for (; i + width <= n; i += width) {
    const auto bits = hn::And(hn::LoadU(d, x + i), magnitude);
    nans += std::int64_t(hn::CountTrue(d, hn::Gt(bits, infinity)));
  }
  for (; i < n; ++i) nans += Lane(x[i] & Lane(format::sign_bit - 1)) > Lane(format::infinity);
  return nans;
}

// Counts one block. The largest magnitude shows whether there are NaNs; a second pass counts them.
template <class T, class Lane>
chunk_counts count_block(const Lane* x, std::int64_t n) {
  using format = detail::float_format<T>;
  const lane_tag<Lane> d;
  const auto width = std::int64_t(hn::Lanes(d));
  const auto magnitude = hn::Set(d, Lane(format::sign_bit - 1));
  const auto zero = hn::Zero(d);
  auto largest = zero;
  std::int64_t zeros[2] = {}, i = 0;
  const auto take = [&](std::int64_t at, std::int64_t& count) HWY_ATTR {
    prefetch_ahead(x + at);
    const auto bits = hn::And(hn::LoadU(d, x + at), magnitude);
    count += std::int64_t(hn::CountTrue(d, hn::Eq(bits, zero)));
    largest = hn::Max(largest, bits);
  };
  for (; i + 2 * width <= n; i += 2 * width) take(i, zeros[0]), take(i + width, zeros[1]);
  if (i + width <= n) take(i, zeros[0]), i += width;
  const auto infinity = hn::Set(d, Lane(format::infinity));
  std::int64_t nans = hn::AllFalse(d, hn::Gt(largest, infinity)) ? 0 : count_nans<T>(x, i);
  nans += count_nans<T>(x + i, n - i);
  for (; i < n; ++i) zeros[0] += Lane(x[i] & Lane(format::sign_bit - 1)) == 0;
  return {zeros[0] + zeros[1], nans};
}

template <class T, class Lane>
chunk_counts count_floats(const void* data, std::int64_t n) {
  constexpr std::int64_t block = block_items(dtype_of<T>);
  const auto* const x = static_cast<const Lane*>(data);
  chunk_counts seen;
  for (std::int64_t i = 0; i < n; i += block) {
    const chunk_counts more = count_block<T>(x + i, n - i < block ? n - i : block);
    seen.zeros += more.zeros, seen.nans += more.nans;
  }
  return seen;
}

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
  folded_words words;
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) fold_word(words, all_bits[k], anys[k], odds[k]);
  for (; bytes > 0; bytes -= 8, x += 8) {
    const auto size = std::size_t(bytes < 8 ? bytes : 8);
    std::uint64_t ones = ~std::uint64_t(0), zeros = 0;
    std::memcpy(&ones, x, size), std::memcpy(&zeros, x, size);
    fold_word(words, ones, zeros, zeros);
  }
  return words;
}

const operator_kernels& operator_table() {
  static const operator_kernels table = {
      make_extrema_kernels(),
      {count_integers<std::uint8_t>, count_integers<std::uint8_t>, count_integers<std::uint16_t>,
       count_integers<std::uint32_t>, count_integers<std::uint64_t>, count_integers<std::uint8_t>,
       count_integers<std::uint16_t>, count_integers<std::uint32_t>, count_integers<std::uint64_t>,
       count_floats<f16, std::int16_t>, count_floats<bf16, std::int16_t>,
       count_floats<float, std::int32_t>, count_floats<double, std::int64_t>},
      fold_bits,
  };
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/dispatch.hpp"
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(operator_table);

const operator_kernels& operators_of_target(std::int64_t target) {
  return entry_of_target(HWY_DISPATCH_TABLE(operator_table), target)();
}

}  // namespace onefold::cpu
#endif
