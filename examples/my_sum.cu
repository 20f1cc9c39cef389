// SPDX-License-Identifier: Apache-2.0
// The sum of n numbers: one partial sum for each block, which the host adds up.
//
//   onefold-ladder try examples/my_sum.cu --kernel my_sum
//
// compiles it and checks it without a GPU. What does the command report when
//   - a __syncthreads() is missing, or is inside the if?
//   - the load reads in[i] without comparing i with n?
//   - --op max is requested, and fmaxf replaces +=, but idle lanes still hold 0?
// ladder/exercises/ has further exercises.

__global__ void my_sum(const float* in, float* out, int n) {
  extern __shared__ float items[];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;
  items[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();

  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) out[blockIdx.x] = items[0];
}
