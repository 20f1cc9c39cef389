// SPDX-License-Identifier: Apache-2.0
// A right program that uses much of the host API, and launches in every form. It prints three
// lines.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

namespace book {
template <typename T, int Block>
__global__ void scale(T* at, T by, size_t n) {
  const size_t i = size_t(blockIdx.x) * Block + threadIdx.x;
  if (i < n) at[i] *= by;
}
}  // namespace book

template <class T>
__global__ void add(const T* a, const T* b, T* to, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[i] = a[i] + b[i];
}

__constant__ float weights[4];
__device__ unsigned calls = 0;

__global__ void weighted(float* at, int width, int height) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < width && y < height) at[y * width + x] *= weights[x % 4];
  if (x == 0 && y == 0) printf("call %u\n", atomicAdd(&calls, 1u));
}

__global__ void set(int* at) {
  if (at != NULL) *at = 4;
}

#define SCALE(Block, at, by, n)                                                                    \
  book::scale<float, Block><<<((n) + Block - 1) / Block, Block>>>(at, by, n)
#define CALL(call)                                                                                 \
  if ((call) != cudaSuccess) return 1

// Templates launch, too.
template <class T>
void add_all(const T* a, const T* b, T* to, int n, cudaStream_t stream) {
  add<T><<<dim3((n + 63) / 64), dim3(64), 0, stream>>>(a, b, to, n);
}

int main() {
  constexpr int width = 20, height = 5, n = width * height;
  const size_t bytes = n * sizeof(float);
  cudaStream_t stream;
  CALL(cudaStreamCreate(&stream));
  cudaEvent_t first, last;
  CALL(cudaEventCreate(&first));
  CALL(cudaEventCreateWithFlags(&last, cudaEventDefault));

  float *pinned, *device, *other, *managed;
  CALL(cudaMallocHost(&pinned, bytes));
  CALL(cudaMalloc(&device, bytes));
  CALL(cudaMalloc(reinterpret_cast<void**>(&other), bytes));
  CALL(cudaMallocManaged(&managed, bytes));
  for (int i = 0; i < n; ++i) pinned[i] = managed[i] = float(i);
  const auto host_weights = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  CALL(cudaMemcpyToSymbol(weights, host_weights->data(), 4 * sizeof(float)));

  CALL(cudaEventRecord(first, stream));
  CALL(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream));
  book::scale<float, 32><<<(n + 31) / 32, 32, 0, stream>>>(device, 2, n);
  SCALE(64, device, 0.5f, n);
  add<<<2, 64>>>(device, managed, other, n);
  add_all(other, device, other, n, stream);
  weighted<<<dim3(3, 2), dim3(8, 4)>>>(other, width, height);
  void (*chosen)(float*, int, int) = weighted;
  chosen<<<dim3(3, 2), dim3(8, 4), 0, 0>>>(other, width, height);
  set<<<1, 1>>>(NULL);
  set<<<1, 1>>>(0);
  CALL(cudaGetLastError());
  CALL(cudaEventRecord(last, stream));
  CALL(cudaEventSynchronize(last));
  float milliseconds = -1;
  CALL(cudaEventElapsedTime(&milliseconds, first, last));

  std::vector<float> host(n);
  CALL(cudaMemcpy(host.data(), other, bytes, cudaMemcpyDefault));
  CALL(cudaMemcpy(managed, other, bytes, cudaMemcpyDeviceToDevice));
  unsigned called = 0;
  CALL(cudaMemcpyFromSymbol(&called, calls, sizeof(called)));
  bool right = called == 2 && milliseconds >= 0;
  for (int i = 0; i < n; ++i) {
    const float weight = (*host_weights)[size_t(i % width % 4)];
    right = right && host[i] == 3.0f * float(i) * weight * weight && managed[i] == host[i];
  }

  cudaDeviceProp properties;
  CALL(cudaGetDeviceProperties(&properties, 0));
  int devices = 0, lanes = 0;
  CALL(cudaGetDeviceCount(&devices));
  CALL(cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, 0));
  right = right && devices == 1 && lanes == properties.warpSize;
  assert(cudaSetDevice(7) == cudaErrorInvalidDevice);

  CALL(cudaMemset(device, 0, bytes));
  for (float* at : {device, other, managed}) CALL(cudaFree(at));
  CALL(cudaFree(nullptr));
  CALL(cudaFreeHost(pinned));
  CALL(cudaEventDestroy(first));
  CALL(cudaEventDestroy(last));
  CALL(cudaStreamDestroy(stream));
  std::cout << (right ? "right" : "wrong") << '\n';
}
