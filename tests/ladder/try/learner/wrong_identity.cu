// SPDX-License-Identifier: Apache-2.0
__global__ void in_the_tail(const int* in, int* out, int n) {
  extern __shared__ int items[];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  items[tid] = i < n ? in[i] : 0;  // here: in the tail
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = max(items[tid], items[tid + s]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}

__global__ void in_a_register(const int* in, int* out, int n) {
  extern __shared__ int items[];
  int tid = threadIdx.x;
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) {
    value = max(value, in[i]);
  }
  items[tid] = value;  // here: in a register
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = max(items[tid], items[tid + s]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}
