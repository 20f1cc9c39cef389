// SPDX-License-Identifier: Apache-2.0
// Batched kernels: the sums of floats, by operator and accuracy, compiled for each SIMD target.
#if defined(ONEFOLD_CPU_MANY_FLOATS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_MANY_FLOATS_INL
#undef ONEFOLD_CPU_MANY_FLOATS_INL
#else
#define ONEFOLD_CPU_MANY_FLOATS_INL
#endif

#include "cpu/kernels/rows/rows_shapes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

template <family Of, class T>
std::int64_t take_sum(const many_block& block) {
  using accumulator = std::conditional_t<std::is_same_v<T, double>, f64_tag, f32_tag>;
  if (block.request.how == accuracy::fast) return take_block<Of, plain_sum<accumulator>, T>(block);
  if constexpr (!std::is_same_v<T, double>)
    if (block.request.output != dtype::f64) return take_block<Of, bracket_sum, T>(block);
  return take_block<Of, pair_sum, T>(block);
}

template <class T>
std::int64_t take_operator(const many_block& block) {
  switch (family_of(block.request.what)) {
  case family::magnitudes:
    return take_sum<family::magnitudes, T>(block);
  case family::squares:
    return take_sum<family::squares, T>(block);
  case family::products:
    return take_sum<family::products, T>(block);
  default:
    return take_sum<family::total, T>(block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
