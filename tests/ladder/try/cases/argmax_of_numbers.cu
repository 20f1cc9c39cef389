// SPDX-License-Identifier: Apache-2.0
// options: --n 3000
// verdict: right
// says: expected, a guess: the maximum and its index

typedef struct {
  double val;
  long long idx;
} max_loc;

__global__ void find_max(const double* __restrict__ data, max_loc* __restrict__ result, int size) {
  extern __shared__ max_loc partial[];
  max_loc value = {-DBL_MAX, -1};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    if (data[i] > value.val) {
      value.val = data[i];
      value.idx = i;
    }
  }
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s && partial[threadIdx.x + s].val > partial[threadIdx.x].val) {
      partial[threadIdx.x] = partial[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) result[blockIdx.x] = partial[0];
}
