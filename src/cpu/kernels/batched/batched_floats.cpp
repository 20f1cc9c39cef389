// SPDX-License-Identifier: Apache-2.0
// Compiles the batched kernels of f32 and f64 for every SIMD target.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/batched/batched_floats.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/batched/batched_floats-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

// Defined in batched_halves.cpp, for this target.
std::int64_t reduce_batched_halves(const batched_block& block);

std::int64_t reduce_batched_floats(const batched_block& block) {
  switch (block.request.input) {
  case dtype::f32:
    return take_operator<float>(block);
  case dtype::f64:
    return take_operator<double>(block);
  default:
    return reduce_batched_halves(block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();
