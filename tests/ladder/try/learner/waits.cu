// SPDX-License-Identifier: Apache-2.0
// Loops that never end, for different reasons.

__device__ volatile unsigned int arrived;

__global__ void waits_for_blocks(const int* in, int* out, int n) {
  if (threadIdx.x == 0) {
    atomicAdd((unsigned int*)&arrived, 1u);
    while (arrived < gridDim.x) {  // here: barrier of the grid
    }
  }
  __syncthreads();
  out[blockIdx.x] = in[0];
}

__global__ void waits_for_blocks_by_atomics(const int* in, int* out, unsigned int* count, int n) {
  if (threadIdx.x == 0) {
    atomicAdd(count, 1u);
    while (atomicAdd(count, 0u) < gridDim.x) {  // here: barrier by atomics
    }
  }
  __syncthreads();
  out[blockIdx.x] = in[0];
}

__global__ void never_changes(const int* in, int* out, int n) {
  int sum = 0;
  for (int i = 0; i < n;) sum += ((const volatile int*)in)[i];  // here: loop
  out[blockIdx.x] = sum;
}
