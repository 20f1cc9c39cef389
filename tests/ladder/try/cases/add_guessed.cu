// SPDX-License-Identifier: Apache-2.0
// options:
// verdict: right
// says: expected, a guess: the sum of each pair

__global__ void add(const short* a, const short* b, short* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
