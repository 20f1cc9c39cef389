// SPDX-License-Identifier: Apache-2.0
// options: --expect rows
// verdict: right

__global__ void row_sums(const int* in, int* out, int width, int height) {
  __shared__ int part[256];
  int value = 0;
  for (int x = threadIdx.x; x < width; x += blockDim.x) value += in[blockIdx.x * width + x];
  part[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
