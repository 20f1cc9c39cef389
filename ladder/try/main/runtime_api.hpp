// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA's host API as a program sees it under `try --main`: names, default arguments and templates
// of cuda_runtime.h, each a call into onefold-ladder (runtime_calls.hpp). Like the words of a
// kernel, each is one function that is never inlined, so that its return address is the program's.

#include "ladder/try/main/runtime_calls.hpp"
#include "simt/lane_calls.hpp"

// Before the words of CUDA, one of which (__noinline__) it uses with another meaning.
#include <memory>

#define ONEFOLD_API(name) ONEFOLD_WORD cudaError_t name
#define ONEFOLD_CALL(name, waits)                                                                  \
  ::onefold::ladder::learner::transfer_call {                                                      \
    ONEFOLD_HERE, #name, waits                                                                     \
  }

namespace onefold::ladder::learner {

template <class T>
void** address_of_pointer(T** at) {
  return reinterpret_cast<void**>(at);
}

template <class T>
void* address_of_symbol(const T& symbol) {
  return const_cast<void*>(static_cast<const volatile void*>(&symbol));
}

}  // namespace onefold::ladder::learner

#define ONEFOLD_ALLOCATION(name, kind, parameters)                                                 \
  template <class T>                                                                               \
  ONEFOLD_API(name)                                                                                \
  parameters noexcept {                                                                            \
    return ::onefold::ladder::learner::allocate(                                                   \
        ONEFOLD_HERE, ::onefold::ladder::learner::address_of_pointer(at), bytes,                   \
        ::onefold::ladder::learner::memory_kind::kind);                                            \
  }
ONEFOLD_ALLOCATION(cudaMalloc, device, (T * *at, std::size_t bytes))
ONEFOLD_ALLOCATION(cudaMallocAsync, device, (T * *at, std::size_t bytes, cudaStream_t = nullptr))
ONEFOLD_ALLOCATION(cudaMallocManaged, managed, (T * *at, std::size_t bytes, unsigned = 1))
ONEFOLD_ALLOCATION(cudaMallocHost, pinned, (T * *at, std::size_t bytes, unsigned = 0))
ONEFOLD_ALLOCATION(cudaHostAlloc, pinned, (T * *at, std::size_t bytes, unsigned))
#undef ONEFOLD_ALLOCATION

ONEFOLD_API(cudaFree)(void* at) noexcept {
  return ::onefold::ladder::learner::release(ONEFOLD_HERE, at, false);
}
ONEFOLD_API(cudaFreeAsync)(void* at, cudaStream_t) noexcept {
  return ::onefold::ladder::learner::release(ONEFOLD_HERE, at, false);
}
ONEFOLD_API(cudaFreeHost)(void* at) noexcept {
  return ::onefold::ladder::learner::release(ONEFOLD_HERE, at, true);
}

ONEFOLD_API(cudaMemcpy)
(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) noexcept {
  return ::onefold::ladder::learner::transfer(ONEFOLD_CALL(cudaMemcpy, true), to, from, bytes,
                                              kind);
}
// nvcc refuses these two; here the report says what is missing.
ONEFOLD_API(cudaMemcpy)(void* to, const void* from, std::size_t bytes) noexcept {
  return ::onefold::ladder::learner::transfer(ONEFOLD_CALL(cudaMemcpy, true), to, from, bytes,
                                              ::onefold::ladder::learner::no_direction);
}
ONEFOLD_API(cudaMemcpyAsync)(void* to, const void* from, std::size_t bytes) noexcept {
  return ::onefold::ladder::learner::transfer(ONEFOLD_CALL(cudaMemcpyAsync, false), to, from, bytes,
                                              ::onefold::ladder::learner::no_direction);
}
ONEFOLD_API(cudaMemcpyAsync)
(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
 cudaStream_t = nullptr) noexcept {
  return ::onefold::ladder::learner::transfer(ONEFOLD_CALL(cudaMemcpyAsync, false), to, from, bytes,
                                              kind);
}
ONEFOLD_API(cudaMemset)(void* at, int value, std::size_t bytes) noexcept {
  return ::onefold::ladder::learner::fill(ONEFOLD_CALL(cudaMemset, true), at, value, bytes);
}
ONEFOLD_API(cudaMemsetAsync)
(void* at, int value, std::size_t bytes, cudaStream_t = nullptr) noexcept {
  return ::onefold::ladder::learner::fill(ONEFOLD_CALL(cudaMemsetAsync, false), at, value, bytes);
}
template <class T>
ONEFOLD_API(cudaMemcpyToSymbol)
(const T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
 cudaMemcpyKind = cudaMemcpyHostToDevice) noexcept {
  return ::onefold::ladder::learner::to_symbol(
      ONEFOLD_CALL(cudaMemcpyToSymbol, true), ::onefold::ladder::learner::address_of_symbol(symbol),
      sizeof(T), from, bytes, offset);
}
template <class T>
ONEFOLD_API(cudaMemcpyFromSymbol)
(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
 cudaMemcpyKind = cudaMemcpyDeviceToHost) noexcept {
  return ::onefold::ladder::learner::from_symbol(
      ONEFOLD_CALL(cudaMemcpyFromSymbol, true), to,
      ::onefold::ladder::learner::address_of_symbol(symbol), sizeof(T), bytes, offset);
}
template <class T>
ONEFOLD_API(cudaMemPrefetchAsync)
(const T*, std::size_t, int, cudaStream_t = nullptr) noexcept {
  return cudaSuccess;
}

ONEFOLD_API(cudaDeviceSynchronize)() noexcept {
  return ::onefold::ladder::learner::synchronize();
}
ONEFOLD_API(cudaDeviceReset)() noexcept {
  return ::onefold::ladder::learner::reset_device();
}
ONEFOLD_API(cudaGetLastError)() noexcept {
  return ::onefold::ladder::learner::last_error(true);
}
ONEFOLD_API(cudaPeekAtLastError)() noexcept {
  return ::onefold::ladder::learner::last_error(false);
}
ONEFOLD_WORD const char* cudaGetErrorString(cudaError_t error) noexcept {
  return ::onefold::ladder::learner::error_text(error);
}
ONEFOLD_WORD const char* cudaGetErrorName(cudaError_t error) noexcept {
  return ::onefold::ladder::learner::error_name(error);
}

ONEFOLD_API(cudaSetDevice)(int device) noexcept {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
ONEFOLD_API(cudaGetDevice)(int* device) noexcept {
  *device = 0;
  return cudaSuccess;
}
ONEFOLD_API(cudaGetDeviceCount)(int* count) noexcept {
  *count = 1;
  return cudaSuccess;
}
ONEFOLD_API(cudaDriverGetVersion)(int* version) noexcept {
  *version = 13000;
  return cudaSuccess;
}
ONEFOLD_API(cudaRuntimeGetVersion)(int* version) noexcept {
  *version = 13000;
  return cudaSuccess;
}
ONEFOLD_API(cudaGetDeviceProperties)(cudaDeviceProp* properties, int device) noexcept {
  return ::onefold::ladder::learner::device_properties(properties, device);
}
ONEFOLD_API(cudaDeviceGetAttribute)(int* value, cudaDeviceAttr attribute, int device) noexcept {
  return ::onefold::ladder::learner::device_attribute(value, attribute, device);
}
ONEFOLD_API(cudaMemGetInfo)(std::size_t* free_bytes, std::size_t* all_bytes) noexcept {
  return ::onefold::ladder::learner::free_memory(free_bytes, all_bytes);
}
template <class Kernel>
ONEFOLD_API(cudaFuncSetAttribute)
(Kernel*, cudaFuncAttribute attribute, int value) noexcept {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  return ::onefold::ladder::learner::allow_dynamic_shared(static_cast<std::size_t>(value));
}
template <class Kernel>
ONEFOLD_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, Kernel*, int threads, std::size_t) noexcept {
  *blocks = threads < 64 ? 32 : 2048 / threads;
  return cudaSuccess;
}

ONEFOLD_API(cudaEventCreate)(cudaEvent_t* event, unsigned = 0) noexcept {
  return ::onefold::ladder::learner::make_event(event);
}
ONEFOLD_API(cudaEventCreateWithFlags)(cudaEvent_t* event, unsigned) noexcept {
  return ::onefold::ladder::learner::make_event(event);
}
ONEFOLD_API(cudaEventRecord)(cudaEvent_t event, cudaStream_t = nullptr) noexcept {
  return ::onefold::ladder::learner::record_event(event);
}
ONEFOLD_API(cudaEventSynchronize)(cudaEvent_t) noexcept {
  return ::onefold::ladder::learner::synchronize();
}
ONEFOLD_API(cudaEventQuery)(cudaEvent_t) noexcept {
  return ::onefold::ladder::learner::synchronize();
}
ONEFOLD_API(cudaEventElapsedTime)
(float* milliseconds, cudaEvent_t first, cudaEvent_t last) noexcept {
  return ::onefold::ladder::learner::elapsed_ms(milliseconds, first, last);
}
ONEFOLD_API(cudaEventDestroy)(cudaEvent_t event) noexcept {
  return ::onefold::ladder::learner::destroy_event(event);
}
ONEFOLD_API(cudaStreamCreate)(cudaStream_t* stream) noexcept {
  return ::onefold::ladder::learner::make_stream(stream);
}
ONEFOLD_API(cudaStreamCreateWithFlags)(cudaStream_t* stream, unsigned) noexcept {
  return ::onefold::ladder::learner::make_stream(stream);
}
ONEFOLD_API(cudaStreamSynchronize)(cudaStream_t) noexcept {
  return ::onefold::ladder::learner::synchronize();
}
ONEFOLD_API(cudaStreamQuery)(cudaStream_t) noexcept {
  return ::onefold::ladder::learner::synchronize();
}
ONEFOLD_API(cudaStreamWaitEvent)(cudaStream_t, cudaEvent_t, unsigned = 0) noexcept {
  return cudaSuccess;
}
ONEFOLD_API(cudaStreamDestroy)(cudaStream_t stream) noexcept {
  return ::onefold::ladder::learner::destroy_stream(stream);
}

#undef ONEFOLD_API
#undef ONEFOLD_CALL
