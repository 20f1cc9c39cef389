// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: race, wrong value

__global__ void sum(const int* in, int* out, int n) {
  __shared__ int part[256];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  part[tid] = i < n ? in[i] : 0;
  __syncthreads();
  if (tid < 128) part[tid] += part[tid + 128];  // here: race
  if (tid < 64) part[tid] += part[tid + 64];
  if (tid < 32) part[tid] += part[tid + 32];
  if (tid < 16) part[tid] += part[tid + 16];
  if (tid < 8) part[tid] += part[tid + 8];
  if (tid < 4) part[tid] += part[tid + 4];
  if (tid < 2) part[tid] += part[tid + 2];
  if (tid < 1) out[blockIdx.x] = part[0] + part[1];
}
