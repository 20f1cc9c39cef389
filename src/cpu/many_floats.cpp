// SPDX-License-Identifier: Apache-2.0
// Compiles the loops of many outputs of floats for every SIMD target.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/many_floats.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/many-shapes-inl.hpp"

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

std::int64_t take_many_floats(const many_block& block) {
  switch (block.request.input) {
  case dtype::f16:
    return take_operator<f16>(block);
  case dtype::bf16:
    return take_operator<bf16>(block);
  case dtype::f32:
    return take_operator<float>(block);
  default:
    return take_operator<double>(block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();
