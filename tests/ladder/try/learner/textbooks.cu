// SPDX-License-Identifier: Apache-2.0
// The ways in which textbooks write a reduction, with the host code around it.
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = (call);                                                                    \
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));                      \
  } while (0)

extern __shared__ int at_file_scope[];

__global__ void harris(int* g_idata, int* g_odata) {
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  at_file_scope[tid] = g_idata[i];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) at_file_scope[tid] += at_file_scope[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = at_file_scope[0];
}

template <class T, unsigned int blockSize>
__global__ void __launch_bounds__(1024)
    unrolled(const T* __restrict__ in, T* __restrict__ out, size_t N) {
  __shared__ T items[blockSize];
  unsigned int tid = threadIdx.x;
  T value = 0;
  for (size_t i = blockIdx.x * (blockSize * 2) + tid; i < N; i += blockSize * 2 * gridDim.x) {
    value += in[i];
    if (i + blockSize < N) value += in[i + blockSize];
  }
  items[tid] = value;
  __syncthreads();
#pragma unroll
  for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
    if (tid < s) items[tid] = value = value + items[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = value;
}

namespace book {
__global__ void output_first(float* result, const float* values, unsigned n) {
  extern __shared__ __align__(16) unsigned char bytes[];
  float* items = reinterpret_cast<float*>(bytes);
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  items[threadIdx.x] = i < n ? values[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0) items[threadIdx.x] += items[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) result[blockIdx.x] = items[0];
}
}  // namespace book

__global__ void one_atomic_a_block(const int* in, int* sum, int n) {
  __shared__ int items[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  items[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) items[threadIdx.x] += items[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, items[0]);
}

int main() {
  std::vector<int> host(1024, 1);
  int *d_in = nullptr, *d_out = nullptr;
  CHECK(cudaMalloc(&d_in, host.size() * sizeof(int)));
  CHECK(cudaMalloc((void**)&d_out, sizeof(int)));
  CHECK(cudaMemcpy(d_in, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice));
  dim3 block(256), grid((1024 + 255) / 256);
  cudaEvent_t start;
  cudaEventCreate(&start);
  harris<<<grid, block, 256 * sizeof(int)>>>(d_in, d_out);
  unrolled<int, 256><<<grid, block>>>(d_in, d_out, host.size());
  if (d_in != nullptr) one_atomic_a_block<<<4, 256>>>(d_in, d_out, 1024);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  cudaFree(d_in);
  return 0;
}
