// SPDX-License-Identifier: Apache-2.0
// Every kernel of the ladder for every element type, compiled with the flags of
// onefold_simt_kernel_flags: the only instrumented translation unit of the program.

#include "ladder/kernels.hpp"

#include "ladder/published/first_add.cuh"
#include "ladder/reduce/first_add.cuh"
#include "ladder/reduce/modulo.cuh"
#include "ladder/reduce/sequential.cuh"
#include "ladder/reduce/strided.cuh"

namespace onefold::ladder {
namespace {

template <class T>
using kernel_pointer = void (*)(const T* in, std::size_t n, T* partials);

template <class T, kernel_pointer<T> Kernel>
void launch_kernel(simt::executor& device, const simt::launch_config& config,
                   const kernel_arguments& arguments) {
  const auto* in = static_cast<const T*>(arguments.in);
  auto* partials = static_cast<T*>(arguments.partials);
  const std::size_t n = arguments.n;
  simt::launch(device, config, [=] { Kernel(in, n, partials); });
}

}  // namespace

#define ONEFOLD_LADDER_KERNEL(rung, kernel)                                                        \
  {rung, element::int32, launch_kernel<int, kernel<int, sum<int>>>},                               \
      {rung, element::float32, launch_kernel<float, kernel<float, sum<float>>>}, {                 \
    rung, element::float64, launch_kernel<double, kernel<double, sum<double>>>                     \
  }

const kernel_entry kernels[] = {
    ONEFOLD_LADDER_KERNEL("reduce/modulo", reduce_modulo),
    ONEFOLD_LADDER_KERNEL("reduce/strided", reduce_strided),
    ONEFOLD_LADDER_KERNEL("reduce/sequential", reduce_sequential),
    ONEFOLD_LADDER_KERNEL("reduce/first-add", reduce_first_add),
    ONEFOLD_LADDER_KERNEL("published/first-add", published::reduce_first_add),
};
const std::size_t kernel_count = sizeof(kernels) / sizeof(kernels[0]);

}  // namespace onefold::ladder
