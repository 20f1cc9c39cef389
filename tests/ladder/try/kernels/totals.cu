// SPDX-License-Identifier: Apache-2.0
// Totals in another type than that of the answer.

#include <cuda_fp16.h>

// options: --expect sum
// verdict: wrong value
__global__ void sum_half_in_half_to_float(const __half* x, float* out, int n) {
  __shared__ __half s[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : __float2half(0.0f);
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] = __hadd(s[threadIdx.x], s[threadIdx.x + k]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = __half2float(s[0]);
}

// options: --expect sum
// verdict: right
__global__ void sum_half_in_float_to_float(const __half* x, float* out, int n) {
  __shared__ float s[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? __half2float(x[i]) : 0.0f;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// options: --expect sum
// verdict: right
// says: not tested: sums that __half rounds
__global__ void sum_half_in_half_to_half(const __half* x, __half* out, int n) {
  __shared__ __half s[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : __float2half(0.0f);
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] = __hadd(s[threadIdx.x], s[threadIdx.x + k]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// options: --expect sum
// verdict: wrong value
__global__ void sum_float_in_float_to_double(const float* x, double* out, int n) {
  __shared__ float s[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0.0f;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// options: --expect sum
// verdict: right
__global__ void sum_float_in_double_to_double(const float* x, double* out, int n) {
  __shared__ double s[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0.0f;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// options: --expect dot
// verdict: wrong value
__global__ void dot_half_in_half_to_float(const __half* x, const __half* y, float* out, int n) {
  __shared__ __half s[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? __hmul(x[i], y[i]) : __float2half(0.0f);
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] = __hadd(s[threadIdx.x], s[threadIdx.x + k]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = __half2float(s[0]);
}
