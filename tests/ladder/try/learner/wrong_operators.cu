// SPDX-License-Identifier: Apache-2.0
// One tree each, with another operator where the sum should be.

__device__ inline int load(const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  return i < n ? in[i] : 0;
}

__global__ void difference(const int* in, int* out, int n) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  items[tid] = load(in, n);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] -= items[tid + s];  // here: difference
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}

__global__ void turned_difference(const int* in, int* out, int n) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  items[tid] = load(in, n);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = items[tid + s] - items[tid];  // here: turned difference
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}

__global__ void product(const int* in, int* out, int n) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  items[tid] = load(in, n);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] *= items[tid + s];  // here: product
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}

__global__ void maximum(const int* in, int* out, int n) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  items[tid] = load(in, n);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = max(items[tid], items[tid + s]);  // here: maximum
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}

__global__ void minimum(const int* in, int* out, int n) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  items[tid] = load(in, n);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) {
      int other = items[tid + s];
      if (other < items[tid])
        other = items[tid + s];
      else
        other = items[tid];
      items[tid] = other;  // here: minimum
    }
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}

__global__ void copy(const int* in, int* out, int n) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  items[tid] = load(in, n);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = items[tid + s];  // here: copy
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}

// The sum of a lane lives in a register; the tree is right.
__global__ void in_registers(const int* in, int* out, int n) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  int value = 1;
  for (int i = tid; i < n; i += blockDim.x) value *= in[i];
  items[tid] = value;  // here: product in registers
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = value = value + items[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = value;
}

// Right trees must not be blamed for a defect elsewhere: here the loads are wrong.
__global__ void skips_elements(const int* in, int* out, int n) {
  extern __shared__ int items[];
  unsigned tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  items[tid] = i < n && i % 3 != 2 ? in[i] : 0;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = items[0];
}
