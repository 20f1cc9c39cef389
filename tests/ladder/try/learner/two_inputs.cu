// SPDX-License-Identifier: Apache-2.0
// Kernels of two arrays, as textbooks write them: nothing is const, and no name says what it is.

__global__ void add(int* a, int* b, int* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}

__global__ void add_to_the_left(int* c, int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void dot(float* a, float* b, float* c) {
  __shared__ float products[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  products[threadIdx.x] = a[i] * b[i];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) products[threadIdx.x] += products[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) c[blockIdx.x] = products[0];
}

__global__ void subtracts(int* a, int* b, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] - b[i];  // here: difference
}

__global__ void dot_of_one(const int* a, const int* b, int* c, int n) {
  int value = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) value += a[i] * a[i];
  atomicAdd(&c[0], value);
}

__global__ void three(int* a, int* b, int* c, int* d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = a[i] + b[i] + c[i];
}
