// SPDX-License-Identifier: Apache-2.0
// Allocation and release of device memory, through a caller's resource or cudaMalloc.
#include "cuda/runtime/device_block.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "cuda/runtime/failure.hpp"

namespace onefold::cuda {
namespace {

void* taken_from(const memory_source& from, std::size_t bytes, const char* purpose,
                 const char* instead) {
  void* const made = from.resource->allocate(bytes, from.stream);
  if (made == nullptr)
    throw error({status_code::out_of_memory, "the caller's device_resource gave no " +
                                                 std::to_string(bytes) + " bytes of " + purpose +
                                                 "; give it more memory, or " + instead});
  if (reinterpret_cast<std::uintptr_t>(made) % device_alignment == 0) return made;
  from.resource->deallocate(made, bytes, from.stream);
  throw error({status_code::usage,
               std::string("the caller's device_resource gave ") + purpose +
                   " that is not aligned; it has to begin at a multiple of 256 bytes, as "
                   "cudaMalloc's does"});
}

void* allocated(std::size_t bytes, const char* purpose) {
  void* made = nullptr;
  check(cudaMalloc(&made, bytes), purpose);
  return made;
}

}  // namespace

device_block::device_block(const memory_source& from, std::size_t bytes, const char* purpose,
                           const char* instead)
    : from_(from), data_(static_cast<std::byte*>(from.resource != nullptr
                                                     ? taken_from(from, bytes, purpose, instead)
                                                     : allocated(bytes, purpose))),
      bytes_(bytes) {}

device_block& device_block::operator=(device_block&& other) noexcept {
  device_block taken(std::move(other));
  swap(taken);
  return *this;
}

device_block::~device_block() {
  if (data_ == nullptr) return;
  if (from_.resource != nullptr) {
    from_.resource->deallocate(data_, bytes_, from_.stream);
    return;
  }
  cudaStreamSynchronize(from_.stream);
  cudaFree(data_);
  cudaGetLastError();
}

void device_block::swap(device_block& other) noexcept {
  std::swap(from_, other.from_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

}  // namespace onefold::cuda
