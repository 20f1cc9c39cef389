// SPDX-License-Identifier: Apache-2.0
// options: --expect sum --args in,out,scratch,n
// verdict: right

__global__ void sum(const int* in, int* out, long long* times, int n) {
  const long long start = clock64();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
  if (threadIdx.x == 0) times[blockIdx.x] = clock64() - start;
}
