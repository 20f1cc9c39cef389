// SPDX-License-Identifier: Apache-2.0
// options: --expect sum --args in,out,scratch,n
// verdict: right
#include <ctime>

__global__ void sum(const int* in, int* out, long long* times, int n) {
  const clock_t start = clock();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
  if (threadIdx.x == 0) times[blockIdx.x] = clock() - start;
}

double seconds_of_the_host() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}
