// SPDX-License-Identifier: Apache-2.0
// Which elements are lost or counted twice, in which line and at which step.

__device__ int stops_early(int* s) {
  for (int k = blockDim.x / 2; k > 1; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
  }
  return threadIdx.x == 0 ? s[0] : 0;
}

// verdict: wrong value
// says: 1 is left where it is stored at tests/ladder/try/kernels/letters.cu:7 at k = 2
__global__ void sum_stops_early(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  const int sum = stops_early(s);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// options: --expect dot
// verdict: wrong value
// says: element 1 of 'x' never reaches the answer: 1 is left where it is stored at
__global__ void dot_stops_early(const int* x, const int* y, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] * y[i] : 0;
  const int sum = stops_early(s);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// options: --expect dot
// verdict: elements never read, wrong value
// says: element 1 of 'y' never reaches the answer: 1 is read by no lane; element 0 of 'y' counts
__global__ void dot_of_the_first(const float* x, const float* y, float* out, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[0];
  *out = sum;
}

// options: --op max
// verdict: wrong value
// says: 1 is left where it is stored at tests/ladder/try/kernels/letters.cu:52 at k = 2
__global__ void max_stops_early(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : INT_MIN;
  __syncthreads();
  for (int k = blockDim.x >> 1; k > 1; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
// says: element 256 counts twice: 256 meets itself at tests/ladder/try/kernels/letters.cu:71
__global__ void sum_by_block_stride(const float* x, float* out, int n) {
  extern __shared__ float f[];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) v += x[i];
  f[threadIdx.x] = v;
  for (int k = 1; k < blockDim.x; k *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * k) == 0) f[threadIdx.x] += f[threadIdx.x + k];
  }
  if (threadIdx.x == 0) {
    // Both blocks have it.
    atomicAdd(out, f[0]);
  }
}
