// SPDX-License-Identifier: Apache-2.0
// The same kernel files for nvcc: proof that the ladder is plain CUDA.

#include "ladder/published/first_add.cuh"
#include "ladder/reduce/first_add.cuh"
#include "ladder/reduce/modulo.cuh"
#include "ladder/reduce/sequential.cuh"
#include "ladder/reduce/strided.cuh"

namespace onefold::ladder {

#define ONEFOLD_LADDER_INSTANCE(kernel, T)                                                         \
  template __global__ void kernel<T, sum<T>>(const T*, std::size_t, T*);                           \
  template __global__ void kernel<T, product<T>>(const T*, std::size_t, T*);                       \
  template __global__ void kernel<T, maximum<T>>(const T*, std::size_t, T*);                       \
  template __global__ void kernel<T, minimum<T>>(const T*, std::size_t, T*);
#define ONEFOLD_LADDER_INSTANCES(kernel)                                                           \
  ONEFOLD_LADDER_INSTANCE(kernel, int)                                                             \
  ONEFOLD_LADDER_INSTANCE(kernel, float)                                                           \
  ONEFOLD_LADDER_INSTANCE(kernel, double)

ONEFOLD_LADDER_INSTANCES(reduce_modulo)
ONEFOLD_LADDER_INSTANCES(reduce_strided)
ONEFOLD_LADDER_INSTANCES(reduce_sequential)
ONEFOLD_LADDER_INSTANCES(reduce_first_add)

namespace published {
ONEFOLD_LADDER_INSTANCES(reduce_first_add)
}

}  // namespace onefold::ladder
