// SPDX-License-Identifier: Apache-2.0
// The SIMD loops of neighbouring columns, compiled for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/columns/column_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/columns/column_folds-inl.hpp"
#include "cpu/kernels/columns/column_kernels.hpp"
#include "cpu/kernels/columns/rounded_columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

inline column_kernel find_column_kernel(op op, dtype input) {
  return with_type(input, [&]<class T>(detail::tag<T>) {
    const column_kernel rounded = rounded_kernel_of<T>(op);
    return rounded.run ? rounded : fold_kernel_of<T>(op);
  });
}

const column_table& column_kernel_table() {
  static const column_table table = {find_column_kernel};
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/dispatch.hpp"
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(column_kernel_table);

const column_table& columns_of_target(std::int64_t target) {
  return entry_of_target(HWY_DISPATCH_TABLE(column_kernel_table), target)();
}

}  // namespace onefold::cpu
#endif
