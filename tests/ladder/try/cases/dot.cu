// SPDX-License-Identifier: Apache-2.0
// options: --expect dot
// verdict: right

__global__ void dot(const float* a, const float* b, float* result, int n) {
  float value = 0;
  const int lanes = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += lanes) value += a[i] * b[i];
  for (int s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xffffffff, value, s);
  if (threadIdx.x % 32 == 0) atomicAdd(result, value);
}
