// SPDX-License-Identifier: Apache-2.0
// published/first-add-shared: the load of reduce/first-add with the defect it was printed with. It
// does not compile, and is compiled only by the test that says so.
//
// The qualifier of shared memory is __shared__. Without its underscores `shared` is a name that
// nobody has declared.

#include "simt/simt.hpp"

__global__ void reduce_first_add_shared(const int* in, int* partials) {
  extern shared int items[];
  const std::size_t at = std::size_t{blockIdx.x} * (2 * blockDim.x) + threadIdx.x;
  items[threadIdx.x] = in[at] + in[at + blockDim.x];
  __syncthreads();
  if (threadIdx.x == 0) partials[blockIdx.x] = items[0];
}
