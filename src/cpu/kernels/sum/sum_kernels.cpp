// SPDX-License-Identifier: Apache-2.0
// Compiles the SIMD loops for every target and fills their tables.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/sum/sum_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/sum/cascade-inl.hpp"
#include "cpu/kernels/sum/integer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

// Defined in batched_floats.cpp and batched_integers.cpp, for this target.
std::int64_t reduce_batched_floats(const batched_block& block);
std::int64_t reduce_batched_integers(const batched_block& block);

std::int64_t reduce_batched(const batched_block& block) {
  return is_floating(block.request.input) ? reduce_batched_floats(block)
                                          : reduce_batched_integers(block);
}

const kernel_table& table() {
  static const kernel_table made = [] {
    kernel_table table = {
        hwy::TargetName(HWY_TARGET),
        make_exact_kernels<accumulator::total, double, all_checks>(),
        make_exact_kernels<accumulator::total, float, all_checks>(),
        make_exact_kernels<accumulator::total, f16, all_checks>(),
        make_exact_kernels<accumulator::total, bf16, all_checks>(),
        {narrow_sum<bool>, narrow_sum<std::int8_t>, narrow_sum<std::int16_t>,
         narrow_sum<std::int32_t>, wide_sum_of<std::int64_t>, narrow_sum<std::uint8_t>,
         narrow_sum<std::uint16_t>, narrow_sum<std::uint32_t>, wide_sum_of<std::uint64_t>},
    };
    table.batched = reduce_batched;
    return table;
  }();
  return made;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/targets.hpp"

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
