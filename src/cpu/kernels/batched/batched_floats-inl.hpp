// SPDX-License-Identifier: Apache-2.0
// Batched kernels: the sums of floats, by operator and accuracy, compiled for each SIMD target.
#if defined(ONEFOLD_CPU_BATCHED_FLOATS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_FLOATS_INL
#undef ONEFOLD_CPU_BATCHED_FLOATS_INL
#else
#define ONEFOLD_CPU_BATCHED_FLOATS_INL
#endif

#include "cpu/kernels/batched/batched_shapes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

template <accumulator Of, class T>
std::int64_t take_sum(const batched_block& block) {
  using accumulator = std::conditional_t<std::is_same_v<T, double>, f64_tag, f32_tag>;
  if (block.request.accuracy == accuracy::fast)
    return take_block<Of, plain_sum<accumulator>, T>(block);
  if constexpr (!std::is_same_v<T, double>)
    if (block.request.output != dtype::f64) return take_block<Of, interval_sum, T>(block);
  return take_block<Of, pair_sum, T>(block);
}

template <class T>
std::int64_t take_operator(const batched_block& block) {
  switch (accumulator_of(block.request.op)) {
  case accumulator::magnitudes:
    return take_sum<accumulator::magnitudes, T>(block);
  case accumulator::squares:
    return take_sum<accumulator::squares, T>(block);
  case accumulator::products:
    return take_sum<accumulator::products, T>(block);
  default:
    return take_sum<accumulator::total, T>(block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
