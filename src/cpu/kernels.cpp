// SPDX-License-Identifier: Apache-2.0
// Compiles the hot loops for every SIMD target and fills their tables.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/cascade-inl.hpp"
#include "cpu/fast-inl.hpp"
#include "cpu/integer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

const kernel_table& table() {
  static const kernel_table made = {
      hwy::TargetName(HWY_TARGET),
      make_exact_kernels<double, all_checks>(),
      make_exact_kernels<float, all_checks>(),
      make_exact_kernels<f16, all_checks>(),
      make_exact_kernels<bf16, all_checks>(),
      fast_f64,
      fast_narrow<float>,
      fast_narrow<f16>,
      fast_narrow<bf16>,
      {boolean_sum, narrow_sum<std::int8_t>, narrow_sum<std::int16_t>, narrow_sum<std::int32_t>,
       wide_sum_of<std::int64_t>, narrow_sum<std::uint8_t>, narrow_sum<std::uint16_t>,
       narrow_sum<std::uint32_t>, wide_sum_of<std::uint64_t>},
  };
  return made;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(table);

const kernel_table& table_of_chosen_target() {
  return HWY_DYNAMIC_DISPATCH(table)();
}

std::int64_t compiled_targets() {
  return HWY_TARGETS;
}

}  // namespace onefold::cpu
#endif
