// SPDX-License-Identifier: Apache-2.0
#include "ladder/gpu/cuda_backend.hpp"

#include <algorithm>
#include <array>

namespace onefold::ladder {
namespace {

// Fresh memory is filled with it: as a float NaN, as an int -1. A stray read is then heard.
constexpr int poison = 0xFF;

}  // namespace

cuda_backend::cuda_backend() {
  ONEFOLD_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

cuda_backend::~cuda_backend() {
  for (void* memory : owned_) cudaFree(memory);
  cudaStreamDestroy(stream_);
}

void cuda_backend::wait() {
  ONEFOLD_CUDA_TRY(cudaStreamSynchronize(stream_));
  ONEFOLD_CUDA_TRY(cudaGetLastError());
}

void* cuda_backend::allocate(std::size_t bytes, const std::string& name) {
  void* memory = nullptr;
  const std::string call = "cudaMalloc of " + std::to_string(bytes) + " bytes for '" + name + "'";
  check_cuda(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), call.c_str());
  owned_.push_back(memory);
  ONEFOLD_CUDA_TRY(cudaMemsetAsync(memory, poison, bytes, stream_));
  return memory;
}

void cuda_backend::upload(void* to, const void* from, std::size_t bytes) {
  ONEFOLD_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
  wait();
}

void cuda_backend::download(void* to, const void* from, std::size_t bytes) {
  ONEFOLD_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
  wait();
}

void cuda_backend::copy(void* to, const void* from, std::size_t bytes) {
  ONEFOLD_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
}

void cuda_backend::clear(void* at, std::size_t bytes) {
  ONEFOLD_CUDA_TRY(cudaMemsetAsync(at, 0, bytes, stream_));
}

std::span<const kernel_table> cuda_backend::tables() const {
  static const std::array all = {on_gpu::reduce, on_gpu::dot, on_gpu::image, on_gpu::loop,
                                 on_gpu::vendor};
  return all;
}

}  // namespace onefold::ladder
