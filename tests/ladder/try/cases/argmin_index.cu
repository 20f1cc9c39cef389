// SPDX-License-Identifier: Apache-2.0
// options: --expect argmin
// verdict: right
// says: expected: the index of the minimum

__global__ void argmin(const float* in, int* where, int n) {
  __shared__ float values[256];
  __shared__ int indices[256];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  values[tid] = i < n ? fminf(in[i], FLT_MAX) : FLT_MAX;  // no NaN
  indices[tid] = i < n ? i : -1;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s && values[tid + s] < values[tid]) {
      values[tid] = values[tid + s];
      indices[tid] = indices[tid + s];
    }
    __syncthreads();
  }
  if (tid == 0) where[blockIdx.x] = indices[0];
}
