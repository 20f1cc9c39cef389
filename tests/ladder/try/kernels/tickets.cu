// SPDX-License-Identifier: Apache-2.0
// Blocks that draw numbers: what comes between the number and what follows from it.

__device__ int sum_of_block(const int* x, int n) {
  extern __shared__ int s[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
  }
  return threadIdx.x == 0 ? s[0] : 0;
}

// verdict: wrong value
// says: blocks at a time
__global__ void sum_first_ticket_stores(const int* x, int* out, unsigned* tickets, int n) {
  const int sum = sum_of_block(x, n);
  if (threadIdx.x != 0) return;
  if (atomicAdd(tickets, 1u) == 0) {
    atomicExch(out, sum);
  } else {
    atomicAdd(out, sum);
  }
}

// verdict: right
__global__ void sum_every_ticket_adds(const int* x, int* out, unsigned* tickets, int n) {
  const int sum = sum_of_block(x, n);
  if (threadIdx.x != 0) return;
  atomicAdd(tickets, 1u);
  atomicAdd(out, sum);
}
