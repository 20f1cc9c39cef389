// SPDX-License-Identifier: Apache-2.0
// Compiles the loops that transpose matrices for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/transpose_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

const transpose_kernels& turns() {
  static const transpose_kernels made = {turn_matrix<std::uint8_t>, turn_matrix<std::uint16_t>,
                                         turn_matrix<std::uint32_t>, turn_matrix<std::uint64_t>};
  return made;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(turns);

const transpose_kernels& turns_of_chosen_target() {
  return HWY_DYNAMIC_DISPATCH(turns)();
}

}  // namespace onefold::cpu
#endif
