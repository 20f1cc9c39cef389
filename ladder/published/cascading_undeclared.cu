// SPDX-License-Identifier: Apache-2.0
// published/cascading-undeclared: the loop of reduce/cascading with the defect it was printed with.
// It does not compile, and is compiled only by the test that says so.
//
// The loop's condition knows the index by one name, its increment by another that nobody declared;
// and the template's head, which would declare Block, is missing.

#include "simt/simt.hpp"

__global__ void reduce_cascading_undeclared(const int* in, std::size_t n, int* items) {
  std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + threadIdx.x;
  const std::size_t round = std::size_t{gridDim.x} * (2 * Block);
  while (at < n) {
    items[threadIdx.x] += in[at] + in[at + Block];
    i += round;
  }
}
