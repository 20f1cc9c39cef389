// SPDX-License-Identifier: Apache-2.0
// Compiles the loops of prod, exponentials and softmax for every SIMD target.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/ordered_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/exponentials-inl.hpp"
#include "cpu/kernels/product-inl.hpp"
#include "cpu/kernels/softmax-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

const ordered_kernels& ordered_table() {
  static const ordered_kernels table = {
      {product_of<f16>, product_of<bf16>, product_of<float>, product_of<double>},
      {exponentials_of<f16>, exponentials_of<bf16>, exponentials_of<float>,
       exponentials_of<double>},
      {softmax_of<f16>, softmax_of<bf16>, softmax_of<float>},
  };
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/dispatch.hpp"
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(ordered_table);

const ordered_kernels& ordered_of_target(std::int64_t target) {
  return entry_of_target(HWY_DISPATCH_TABLE(ordered_table), target)();
}

}  // namespace onefold::cpu
#endif
