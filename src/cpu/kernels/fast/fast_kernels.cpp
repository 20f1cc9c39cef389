// SPDX-License-Identifier: Apache-2.0
// Compiles the loops of fast reductions for every SIMD target.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/fast/fast_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/fast/fast-inl.hpp"
#include "cpu/kernels/fast/fast_integer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

const fast_table& fast_loops() {
  static const fast_table made = {
      {integer_row<boolean_byte>(), integer_row<std::int8_t>(), integer_row<std::int16_t>(),
       integer_row<std::int32_t>(), integer_row<std::int64_t>(), integer_row<std::uint8_t>(),
       integer_row<std::uint16_t>(), integer_row<std::uint32_t>(), integer_row<std::uint64_t>()},
      floating_row<f16, fast_float_tag>(),
      floating_row<bf16, fast_float_tag>(),
      floating_row<float, fast_float_tag>(),
      floating_row<double, fast_double_tag>(),
  };
  return made;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(fast_loops);

const fast_table& fast_loops_of_chosen_target() {
  return HWY_DYNAMIC_DISPATCH(fast_loops)();
}

}  // namespace onefold::cpu
#endif
