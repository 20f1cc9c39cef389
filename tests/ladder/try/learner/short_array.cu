// SPDX-License-Identifier: Apache-2.0
__global__ void first(const int* in, int* out, int n) {
  __shared__ int items[1024];
  items[threadIdx.x] = in[0];
  out[blockIdx.x] = items[0];
}

__global__ void my_sum(const int* in, int* out, int n) {
  __shared__ int items[128];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  items[tid] = i < n ? in[i] : 0;  // here: bounds
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}

__global__ void last(const int* in, int* out, int n) {
  __shared__ int items[1024];
  items[threadIdx.x] = in[0];
  out[blockIdx.x] = items[0];
}
