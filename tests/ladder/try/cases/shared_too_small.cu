// SPDX-License-Identifier: Apache-2.0
// options: --expect dot --block 256
// verdict: bounds, elements never read, wrong value
// says: past the end of 'cache'

#define N_SHARED 128
__global__ void dotProduct(const double* a, const double* b, double* c, int n) {
  __shared__ double cache[N_SHARED];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  int cacheIndex = threadIdx.x;
  double temp = 0;
  while (tid < n) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
    __syncthreads();
    i /= 2;
  }
  if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}
