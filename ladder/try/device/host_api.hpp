// SPDX-License-Identifier: Apache-2.0
#pragma once
// The common calls of the CUDA host API, so that a learner's main compiles. It is never called:
// every function here does nothing and succeeds.

#include <cstddef>

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
using cudaError = cudaError_t;
using cudaEvent_t = void*;
using cudaStream_t = void*;

struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int major, minor, multiProcessorCount, maxThreadsPerBlock, maxThreadsPerMultiProcessor, warpSize;
  int maxThreadsDim[3], maxGridSize[3], clockRate, memoryClockRate, memoryBusWidth, l2CacheSize;
};

#define ONEFOLD_INERT(name)                                                                        \
  template <class... Arguments>                                                                    \
  inline cudaError_t name(Arguments&&...) {                                                        \
    return cudaSuccess;                                                                            \
  }
ONEFOLD_INERT(cudaMalloc)
ONEFOLD_INERT(cudaMallocHost)
ONEFOLD_INERT(cudaMallocManaged)
ONEFOLD_INERT(cudaHostAlloc)
ONEFOLD_INERT(cudaFree)
ONEFOLD_INERT(cudaFreeHost)
ONEFOLD_INERT(cudaMemcpy)
ONEFOLD_INERT(cudaMemcpyAsync)
ONEFOLD_INERT(cudaMemcpyToSymbol)
ONEFOLD_INERT(cudaMemset)
ONEFOLD_INERT(cudaMemsetAsync)
ONEFOLD_INERT(cudaDeviceSynchronize)
ONEFOLD_INERT(cudaDeviceReset)
ONEFOLD_INERT(cudaSetDevice)
ONEFOLD_INERT(cudaGetDevice)
ONEFOLD_INERT(cudaGetDeviceCount)
ONEFOLD_INERT(cudaGetDeviceProperties)
ONEFOLD_INERT(cudaGetLastError)
ONEFOLD_INERT(cudaPeekAtLastError)
ONEFOLD_INERT(cudaEventCreate)
ONEFOLD_INERT(cudaEventRecord)
ONEFOLD_INERT(cudaEventSynchronize)
ONEFOLD_INERT(cudaEventElapsedTime)
ONEFOLD_INERT(cudaEventDestroy)
ONEFOLD_INERT(cudaStreamCreate)
ONEFOLD_INERT(cudaStreamSynchronize)
ONEFOLD_INERT(cudaStreamDestroy)
#undef ONEFOLD_INERT

inline const char* cudaGetErrorString(cudaError_t) {
  return "no error";
}
inline const char* cudaGetErrorName(cudaError_t) {
  return "cudaSuccess";
}
