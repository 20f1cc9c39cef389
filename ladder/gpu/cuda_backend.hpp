// SPDX-License-Identifier: Apache-2.0
#pragma once
// A GPU as a backend: one stream, memory freed with the backend.

#include "ladder/gpu/cuda.hpp"
#include "ladder/trial/backend.hpp"

#include <memory>
#include <vector>

namespace onefold::ladder {

class cuda_backend : public backend {
 public:
  cuda_backend();
  cuda_backend(const cuda_backend&) = delete;
  cuda_backend& operator=(const cuda_backend&) = delete;
  ~cuda_backend() override;

  void* stream() const override { return stream_; }
  /// Waits for the stream. Fails: std::runtime_error with what went wrong in it.
  void wait();

  void* allocate(std::size_t bytes, const std::string& name) override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void clear(void* at, std::size_t bytes) override;
  std::span<const kernel_table> tables() const override;

 private:
  /// The executor's way in; a GPU kernel is launched by start() itself.
  void run(const launch_shape&, simt::kernel_call) override {}

  cudaStream_t stream_ = nullptr;
  std::vector<void*> owned_;
};

}  // namespace onefold::ladder
