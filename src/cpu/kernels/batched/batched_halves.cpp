// SPDX-License-Identifier: Apache-2.0
// Compiles the batched kernels of f16 and bf16 for every SIMD target.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/batched/batched_halves.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/batched/batched_floats-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

std::int64_t reduce_batched_halves(const batched_block& block) {
  return block.request.input == dtype::f16 ? take_operator<f16>(block) : take_operator<bf16>(block);
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();
