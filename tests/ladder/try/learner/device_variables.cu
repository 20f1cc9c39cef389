// SPDX-License-Identifier: Apache-2.0
// Sums whose last block finds itself by a counter in device memory, which no parameter points to.

__device__ unsigned int ended = 0;
static __device__ float table[3] = {1, 1, 1};

__device__ void fold(float* items) {
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) items[threadIdx.x] += items[threadIdx.x + s];
    __syncthreads();
  }
}

__device__ bool leave(const float* in, volatile float* partials, int n, unsigned int highest) {
  extern __shared__ float items[];
  __shared__ bool last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  items[threadIdx.x] = i < n ? in[i] * table[threadIdx.x % 3] : 0;
  __syncthreads();
  fold(items);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = items[0];
    __threadfence();
    last = atomicInc(&ended, highest) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
  float value = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) value += partials[b];
  items[threadIdx.x] = value;
  __syncthreads();
  fold(items);
  return threadIdx.x == 0;
}

__global__ void resets(const float* in, float* partials, float* out, int n) {
  extern __shared__ float items[];
  if (!leave(in, partials, n, gridDim.x)) return;
  out[0] = items[0];
  ended = 0;
}

__global__ void wraps(const float* in, float* partials, float* out, int n) {
  extern __shared__ float items[];
  if (leave(in, partials, n, gridDim.x - 1)) out[0] = items[0];
}

__global__ void forgets(const float* in, float* partials, float* out, int n) {
  extern __shared__ float items[];
  if (leave(in, partials, n, ~0u)) out[0] = items[0];
}

__global__ void runs_over(const float* in, float* out, int n) {
  if (threadIdx.x == 0) out[blockIdx.x] = in[0] + table[3];  // here: over its end
}
