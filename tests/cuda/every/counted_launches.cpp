// SPDX-License-Identifier: Apache-2.0
// Records kernels as nvcc's code registers and launches them: the linker's option --wrap brings
// these calls here. __cudaGetKernel and __cudaLaunchKernel are those of CUDA 13, whose launches
// take handles.
#include <cuda_runtime_api.h>

#include <map>
#include <mutex>

#include "cuda/every/launches.hpp"

using onefold::cuda::test::add_kernel;
using onefold::cuda::test::add_launch;

namespace {

struct kernel_handles {
  std::mutex mutex;
  std::map<cudaKernel_t, const void*> entries;
};
kernel_handles& handles() {
  static kernel_handles all;
  return all;
}

}  // namespace

extern "C" {

void __real___cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*,
                                   dim3*, dim3*, int*);
cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
[[gnu::weak]] cudaError_t __real___cudaGetKernel(cudaKernel_t*, const void*);
[[gnu::weak]] cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t,
                                                    cudaStream_t);

void __wrap___cudaRegisterFunction(void** fatbin, const char* entry, char* function,
                                   const char* name, int limit, uint3* thread, uint3* block,
                                   dim3* block_shape, dim3* grid_shape, int* shared) {
  add_kernel(entry, name);
  __real___cudaRegisterFunction(fatbin, entry, function, name, limit, thread, block, block_shape,
                                grid_shape, shared);
}

cudaError_t __wrap_cudaLaunchKernel(const void* entry, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  add_launch(entry);
  return __real_cudaLaunchKernel(entry, grid, block, arguments, shared, stream);
}

cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* entry,
                                       void** arguments) {
  add_launch(entry);
  return __real_cudaLaunchKernelExC(config, entry, arguments);
}

cudaError_t __wrap___cudaGetKernel(cudaKernel_t* handle, const void* entry) {
  const cudaError_t done = __real___cudaGetKernel(handle, entry);
  const std::scoped_lock lock(handles().mutex);
  if (done == cudaSuccess) handles().entries[*handle] = entry;
  return done;
}

cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      std::size_t shared, cudaStream_t stream) {
  {
    const std::scoped_lock lock(handles().mutex);
    add_launch(handles().entries[kernel]);
  }
  return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
}
