// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: race, wrong value

__global__ void sum(int* data, int n) {
  const int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s && i + s < n) data[i] += data[i + s];  // here: race
  }
}
