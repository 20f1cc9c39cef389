// SPDX-License-Identifier: Apache-2.0
// Lanes that go on by the size of the grid: a quarter of the blocks shows what the second round
// does.

// verdict: right
// says: grids of more than 64 blocks
__global__ void stride_of_the_grid(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  atomicAdd(out, v);
}

// verdict: elements never read, wrong value
// says: n 16384, grid 16
__global__ void twice_the_stride(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 2 * blockDim.x * gridDim.x)
    v += x[i];
  atomicAdd(out, v);
}

// verdict: elements never read, wrong value
// says: n 16384, grid 16
__global__ void last_element_of_a_lane(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = x[i];
  atomicAdd(out, v);
}

// verdict: race
__global__ void no_barrier_before_the_next_round(const int* x, int* out, int n) {
  __shared__ int s[256];
  int sum = 0;
  for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
    s[threadIdx.x] = base + threadIdx.x < n ? x[base + threadIdx.x] : 0;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
      if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
      __syncthreads();
    }
    sum += s[0];
  }
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
