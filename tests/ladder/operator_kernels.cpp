// SPDX-License-Identifier: Apache-2.0
#include "tests/ladder/operator_kernels.hpp"

#include "ladder/reduce/first_add.cuh"
#include "ladder/reduce/modulo.cuh"
#include "ladder/reduce/sequential.cuh"
#include "ladder/reduce/strided.cuh"

namespace onefold::ladder::test {
namespace {

template <class T, void (*Kernel)(const T*, std::size_t, T*)>
void launch_kernel(simt::executor& device, const simt::launch_config& config, const T* in,
                   std::size_t n, T* partials) {
  simt::launch(device, config, [=] { Kernel(in, n, partials); });
}

}  // namespace

template <template <class> class Operator, class T>
const reduction<T> operator_kernels<Operator, T>::rungs[rung_count] = {
    launch_kernel<T, reduce_modulo<T, Operator<T>>>,
    launch_kernel<T, reduce_strided<T, Operator<T>>>,
    launch_kernel<T, reduce_sequential<T, Operator<T>>>,
    launch_kernel<T, reduce_first_add<T, Operator<T>>>,
};

#define ONEFOLD_OPERATOR_KERNELS(T)                                                                \
  template struct operator_kernels<sum, T>;                                                        \
  template struct operator_kernels<product, T>;                                                    \
  template struct operator_kernels<maximum, T>;                                                    \
  template struct operator_kernels<minimum, T>;

ONEFOLD_OPERATOR_KERNELS(int)
ONEFOLD_OPERATOR_KERNELS(float)
ONEFOLD_OPERATOR_KERNELS(double)

}  // namespace onefold::ladder::test
