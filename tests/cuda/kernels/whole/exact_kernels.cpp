// SPDX-License-Identifier: Apache-2.0
#include "exact_kernels.cuh"

namespace onefold::test {
namespace {

template <class T>
whole_kernel kernel_of_type(onefold::accumulator kind, bool apart) {
  switch (kind) {
  case onefold::accumulator::magnitudes:
    return kernel_of<onefold::accumulator::magnitudes, T>();
  case onefold::accumulator::squares:
    return kernel_of<onefold::accumulator::squares, T>();
  case onefold::accumulator::products:
    return kernel_of<onefold::accumulator::products, T>(apart);
  default:
    return kernel_of<onefold::accumulator::total, T>();
  }
}

}  // namespace

whole_kernel exact_whole_kernel(onefold::accumulator kind, dtype input, bool apart) {
  switch (input) {
  case dtype::f16:
    return kernel_of_type<f16>(kind, apart);
  case dtype::bf16:
    return kernel_of_type<bf16>(kind, apart);
  case dtype::f32:
    return kernel_of_type<float>(kind, apart);
  default:
    return kernel_of_type<double>(kind, apart);
  }
}

}  // namespace onefold::test
