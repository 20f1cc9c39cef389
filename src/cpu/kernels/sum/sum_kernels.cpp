// SPDX-License-Identifier: Apache-2.0
// The table of the SIMD loops of sums, and the loops of integer sums, compiled for every target.
//
// A chunk has at most 2^31 elements, so sums of 32-bit parts stay below 2^63.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/sum/sum_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/sum/cascade-inl.hpp"
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

// Defined in batched_floats.cpp and batched_integers.cpp, for this target.
std::int64_t reduce_batched_floats(const batched_block& block);
std::int64_t reduce_batched_integers(const batched_block& block);

std::int64_t reduce_batched(const batched_block& block) {
  return is_floating(block.request.input) ? reduce_batched_floats(block)
                                          : reduce_batched_integers(block);
}

const kernel_table& table() {
  static const kernel_table kernels = [] {
    kernel_table table = {
        hwy::TargetName(HWY_TARGET),
        {make_exact_kernels<accumulator::total, double, all_checks>(),
         make_exact_kernels<accumulator::total, float, all_checks>(),
         make_exact_kernels<accumulator::total, f16, all_checks>(),
         make_exact_kernels<accumulator::total, bf16, all_checks>()},
        {narrow_sum<bool>, narrow_sum<std::int8_t>, narrow_sum<std::int16_t>,
         narrow_sum<std::int32_t>, wide_sum_of<std::int64_t>, narrow_sum<std::uint8_t>,
         narrow_sum<std::uint16_t>, narrow_sum<std::uint32_t>, wide_sum_of<std::uint64_t>},
    };
    table.batched = reduce_batched;
    return table;
  }();
  return kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/dispatch.hpp"
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(table);

const kernel_table& table_of_target(std::int64_t target) {
  return entry_of_target(HWY_DISPATCH_TABLE(table), target)();
}

std::int64_t compiled_targets() {
  return HWY_TARGETS;
}

}  // namespace onefold::cpu
#endif
