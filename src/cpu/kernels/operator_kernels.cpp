// SPDX-License-Identifier: Apache-2.0
// Compiles the loops of extrema, counts and bitwise operators for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/operator_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/bits-inl.hpp"
#include "cpu/kernels/counts-inl.hpp"
#include "cpu/kernels/extrema-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

const operator_kernels& operator_table() {
  static const operator_kernels made = {
      make_extrema_kernels(),
      {count_integers<std::uint8_t>, count_integers<std::uint8_t>, count_integers<std::uint16_t>,
       count_integers<std::uint32_t>, count_integers<std::uint64_t>, count_integers<std::uint8_t>,
       count_integers<std::uint16_t>, count_integers<std::uint32_t>, count_integers<std::uint64_t>,
       count_floats<f16, std::int16_t>, count_floats<bf16, std::int16_t>,
       count_floats<float, std::int32_t>, count_floats<double, std::int64_t>},
      fold_bits,
  };
  return made;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(operator_table);

const operator_kernels& operators_of_chosen_target() {
  return HWY_DYNAMIC_DISPATCH(operator_table)();
}

}  // namespace onefold::cpu
#endif
