// SPDX-License-Identifier: Apache-2.0
// options: --expect tests/ladder/try/cases/histogram.npy --n 4096
// verdict: right

__global__ void histogram(const unsigned char* in, unsigned int* bins, int n) {
  __shared__ unsigned int local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
