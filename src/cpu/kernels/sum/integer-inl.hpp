// SPDX-License-Identifier: Apache-2.0
// The loops of integer sums, compiled for each SIMD target.
//
// A chunk has at most 2^31 elements, so sums of 32-bit parts stay below 2^63.
#if defined(ONEFOLD_CPU_INTEGER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_INTEGER_INL
#undef ONEFOLD_CPU_INTEGER_INL
#else
#define ONEFOLD_CPU_INTEGER_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels/sum/integer_sums-inl.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

// Up to 32 bits, and booleans: one 64-bit sum, returned as its low and high parts.
template <class T>
integer_parts narrow_sum(const void* data, std::int64_t n) {
  element_sums<T> sums;
  add_elements<T>(data, n, sums);
  const auto sum = std::int64_t(sums.sum);
  return {std::uint64_t(sum) & 0xFFFFFFFF, sum >> 32};
}

// 64 bits: sums the halves separately.
template <class T>
integer_parts wide_sum_of(const void* data, std::int64_t n) {
  element_sums<T> sums;
  add_elements<T>(data, n, sums);
  return {sums.low, sums.high};
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
