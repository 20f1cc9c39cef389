// SPDX-License-Identifier: Apache-2.0
#include "exact_kernels.cuh"

namespace onefold::test {
namespace {

template <class T>
full_kernel kernel_of_type(onefold::family of, bool apart) {
  switch (of) {
  case onefold::family::magnitudes:
    return kernel_of<onefold::family::magnitudes, T>();
  case onefold::family::squares:
    return kernel_of<onefold::family::squares, T>();
  case onefold::family::products:
    return kernel_of<onefold::family::products, T>(apart);
  default:
    return kernel_of<onefold::family::total, T>();
  }
}

}  // namespace

full_kernel exact_full_kernel(onefold::family of, dtype input, bool apart) {
  switch (input) {
  case dtype::f16:
    return kernel_of_type<f16>(of, apart);
  case dtype::bf16:
    return kernel_of_type<bf16>(of, apart);
  case dtype::f32:
    return kernel_of_type<float>(of, apart);
  default:
    return kernel_of_type<double>(of, apart);
  }
}

}  // namespace onefold::test
