// SPDX-License-Identifier: Apache-2.0
// options: --expect dot
// verdict: race, wrong value

__global__ void dot(const int* a, const int* b, int* result, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *result += a[i] * b[i];  // here: race
}
