// SPDX-License-Identifier: Apache-2.0
// The SIMD loops that count zeros and NaNs, compiled for each target.
#if defined(ONEFOLD_CPU_COUNTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_COUNTS_INL
#undef ONEFOLD_CPU_COUNTS_INL
#else
#define ONEFOLD_CPU_COUNTS_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels/extrema-inl.hpp"
#include "cpu/kernels/operator_kernels.hpp"

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

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
