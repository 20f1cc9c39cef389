// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/textbook.hpp"

#include "simt/simt.hpp"

namespace onefold::simt::test {
namespace {

__global__ void naive_transpose(const int* in, int* out) {
  const unsigned x = blockIdx.x * tile_side + threadIdx.x;
  const unsigned y = blockIdx.y * tile_side + threadIdx.y;
  for (unsigned r = 0; r < tile_side; r += tile_rows) {
    out[x * matrix_side + y + r] = in[(y + r) * matrix_side + x];
  }
}

template <unsigned Padding>
__global__ void tile_transpose(const int* in, int* out) {
  __shared__ int tile[tile_side][tile_side + Padding];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned column = blockIdx.x * tile_side, row = blockIdx.y * tile_side;
  for (unsigned r = 0; r < tile_side; r += tile_rows) {
    tile[ty + r][tx] = in[(row + ty + r) * matrix_side + column + tx];
  }
  __syncthreads();
  for (unsigned r = 0; r < tile_side; r += tile_rows) {
    out[(column + ty + r) * matrix_side + row + tx] = tile[tx][ty + r];
  }
}

template <void (*Kernel)(const int*, int*)>
void launch_kernel(executor& device, const launch_config& config, const kernel_memory& memory) {
  const int* in = memory.in;
  int* out = memory.out;
  launch(device, config, [=] { Kernel(in, out); });
}

}  // namespace

const test_kernel transpose_kernels[] = {
    {"naive", launch_kernel<naive_transpose>},
    {"tile", launch_kernel<tile_transpose<0>>},
    {"padded", launch_kernel<tile_transpose<1>>},
};

}  // namespace onefold::simt::test
