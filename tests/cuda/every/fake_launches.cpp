// SPDX-License-Identifier: Apache-2.0
// The calls that register and launch kernels, where no kernel runs: the library's own launchers
// choose kernels as on a device, and each choice is recorded. fake_runtime.cpp has the rest of the
// runtime.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "cuda/every/launches.hpp"
#include "cuda/fake_runtime.hpp"
#include "cuda/kernels/keys/table.hpp"

using onefold::cuda::test::add_kernel;
using onefold::cuda::test::add_launch;

namespace {

struct launch_shape {
  dim3 grid, block;
  std::size_t shared;
  void* stream;
} pushed;

// Keys are sorted where the kernel that counts their runs reports that they fall: so does every
// first one of two, or of one where a table is tried instead, which has a slot with elements.
void count_runs_of(const char* name, void** arguments, cudaStream_t stream) {
  static bool falls = false;
  if (std::strstr(name, "12decide_slots") != nullptr) {
    const auto& table = *static_cast<const onefold::cuda::key_table*>(arguments[0]);
    onefold::cuda::test::enqueue(stream, [=] { falls = false, table.places[table.slots] = 1; });
  }
  if (std::strstr(name, "10count_runs") == nullptr) return;
  const std::size_t last =
      onefold::cuda::key_words(static_cast<const onefold::cuda::key_list*>(arguments[0])->n) - 1;
  auto* const words = *static_cast<std::int64_t**>(arguments[1]);
  onefold::cuda::test::enqueue(stream, [=] {
    falls = !falls;
    words[last - 1] = 1, words[last] = falls;
  });
}

cudaError_t launch(const void* entry, void** arguments, cudaStream_t stream) {
  if (const char* const name = add_launch(entry)) count_runs_of(name, arguments, stream);
  return cudaSuccess;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
void __cudaRegisterFunction(void**, const char* entry, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  add_kernel(entry, name);
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     struct CUstream_st* stream) {
  return pushed = {grid, block, shared, stream}, 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = pushed.grid, *block = pushed.block, *shared = pushed.shared;
  return *static_cast<void**>(stream) = pushed.stream, cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* entry) {
  return *handle = static_cast<cudaKernel_t>(const_cast<void*>(entry)), cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void** arguments, std::size_t,
                               cudaStream_t stream) {
  return launch(kernel, arguments, stream);
}
cudaError_t cudaLaunchKernel(const void* entry, dim3, dim3, void** arguments, std::size_t,
                             cudaStream_t stream) {
  return launch(entry, arguments, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* entry,
                                void** arguments) {
  return launch(entry, arguments, config->stream);
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, const void*) {
  *to = {};
  return to->ptxVersion = to->binaryVersion = 90, cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* to, const void*, const cudaLaunchConfig_t*) {
  return *to = 4, cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* to, const void*, int,
                                                                   std::size_t, unsigned) {
  return *to = 4, cudaSuccess;
}
cudaError_t cudaPeekAtLastError() {
  return cudaSuccess;
}
}
