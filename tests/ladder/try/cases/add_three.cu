// SPDX-License-Identifier: Apache-2.0
// options: --expect add
// verdict: right

__global__ void add(const int* a, const int* b, const int* c, int* d, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = a[i] + b[i] + c[i];
}
