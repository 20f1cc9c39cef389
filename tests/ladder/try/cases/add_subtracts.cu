// SPDX-License-Identifier: Apache-2.0
// options: --expect add
// verdict: wrong operator, wrong value

__global__ void add(const int* a, const int* b, int* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] - b[i];  // here: wrong operator
}
