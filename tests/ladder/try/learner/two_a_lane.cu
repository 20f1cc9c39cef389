// SPDX-License-Identifier: Apache-2.0
__global__ void my_sum(int* g_idata, int* g_odata) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
  items[tid] = g_idata[i] + g_idata[i + blockDim.x];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = items[0];
}
