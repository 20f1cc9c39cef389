// SPDX-License-Identifier: Apache-2.0
__global__ void my_sum(const int* in, int* out, int n) {
  extern __shared__ int items[];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  if (i < n) items[tid] = in[i];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];  // here: uninitialised
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}
