// SPDX-License-Identifier: Apache-2.0
// options: --n 5000
// verdict: right
// says: expected, a guess: 'sum' the sum, 'count' the count; say what it is with --expect

struct statistics {
  double sum;
  unsigned count;
};

__global__ void measure(const float* in, statistics* out, int n) {
  __shared__ statistics part[256];
  statistics value = {0.0, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    value.sum += in[i];
    ++value.count;
  }
  part[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) {
      part[threadIdx.x].sum += part[threadIdx.x + s].sum;
      part[threadIdx.x].count += part[threadIdx.x + s].count;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
