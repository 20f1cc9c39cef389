// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a kernel header includes before it uses CUDA: device code is plain CUDA C++ for nvcc, which
// brings the language itself, and for a host compiler, which does not. There the build names a
// header that provides `__global__`, `threadIdx`, `__syncthreads` and the rest: for the SIMT
// executor, ONEFOLD_CUDA_LANGUAGE is "simt/simt.hpp".

#if defined(__CUDACC__)

/// Dynamic shared memory, seen as an array of T.
#define ONEFOLD_DYNAMIC_SHARED(T, name)                                                            \
  extern __shared__ __align__(16) unsigned char onefold_dynamic_shared[];                          \
  T* const name = reinterpret_cast<T*>(onefold_dynamic_shared)

/// Marks an arithmetic helper whose inside is not part of the kernel's control flow.
#define ONEFOLD_UNCOUNTED

#elif defined(ONEFOLD_CUDA_LANGUAGE)
#include ONEFOLD_CUDA_LANGUAGE
#else
#error "device code needs nvcc, or ONEFOLD_CUDA_LANGUAGE, the header of the SIMT executor"
#endif
