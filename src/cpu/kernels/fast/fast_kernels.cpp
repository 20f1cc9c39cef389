// SPDX-License-Identifier: Apache-2.0
// The loops of fast reductions, compiled for every SIMD target. Integers: sums modulo 2^64, which
// do not depend on the order, and moments in binary64; the compiler vectorises their loops.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/fast/fast_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "cpu/kernels/fast/fast-inl.hpp"
#include "cpu/kernels/sum/integer_sums-inl.hpp"
#include "request/tuning.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

// Bytes have 32-bit sums: those of 2^16 squares fit, 255^2 2^16 < 2^32.
static_assert(tuning::chunk_items == 1 << 16);
template <class T>
using sum_type =
    std::conditional_t<sizeof(T) == 1,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::uint64_t>;

// x converted to the type of its sum, and |x|, which fits in 64 bits for every x.
template <class Sum, class T>
HWY_INLINE Sum element(T x) {
  return static_cast<Sum>(x);
}
template <class Sum, class T>
HWY_INLINE Sum magnitude(T x) {
  return x < 0 ? Sum(0) - static_cast<Sum>(x) : static_cast<Sum>(x);
}

// Uses the exact loop, which is memory-bound too.
template <class T>
std::uint64_t integer_total(const void* data, const void*, std::int64_t n) {
  using element = std::conditional_t<std::is_same_v<T, boolean_byte>, bool, T>;
  element_sums<element> sums;
  add_elements<element>(data, n, sums);
  return sums.words().low;
}

template <class T>
std::uint64_t integer_magnitudes(const void* data, const void*, std::int64_t n) {
  using sum_t = sum_type<T>;
  const T* const x = static_cast<const T*>(data);
  sum_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += magnitude<sum_t>(x[i]);
  return std::uint64_t(sum);
}

template <class T>
std::uint64_t integer_products(const void* first, const void* second, std::int64_t n) {
  using sum_t = sum_type<T>;
  const T *const x = static_cast<const T*>(first), *const y = static_cast<const T*>(second);
  sum_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += element<sum_t>(x[i]) * element<sum_t>(y[i]);
  return std::uint64_t(sum);
}

template <class T>
std::uint64_t integer_squares(const void* x, const void*, std::int64_t n) {
  return integer_products<T>(x, x, n);
}

template <class T>
fast_kernels<std::uint64_t> integer_row() {
  return {integer_total<T>, integer_magnitudes<T>, integer_squares<T>, integer_products<T>,
          fast_moments_of<T, fast_double_tag>};
}

const fast_table& fast_loops() {
  static const fast_table table = {
      {integer_row<boolean_byte>(), integer_row<std::int8_t>(), integer_row<std::int16_t>(),
       integer_row<std::int32_t>(), integer_row<std::int64_t>(), integer_row<std::uint8_t>(),
       integer_row<std::uint16_t>(), integer_row<std::uint32_t>(), integer_row<std::uint64_t>()},
      floating_row<f16, fast_float_tag>(),
      floating_row<bf16, fast_float_tag>(),
      floating_row<float, fast_float_tag>(),
      floating_row<double, fast_double_tag>(),
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

HWY_EXPORT(fast_loops);

const fast_table& fast_loops_of_target(std::int64_t target) {
  return entry_of_target(HWY_DISPATCH_TABLE(fast_loops), target)();
}

}  // namespace onefold::cpu
#endif
