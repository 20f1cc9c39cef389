// SPDX-License-Identifier: Apache-2.0
// options: --expect add
// verdict: right

__global__ void add(int* a, const int* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i];
}
