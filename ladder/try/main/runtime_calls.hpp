// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the host API of a program under `try --main` calls: defined in onefold-ladder, used by the
// object made of the program. `pc` is where the program goes on, so that a report names its line.

#include "ladder/try/main/runtime_types.hpp"
#include "simt/launch.hpp"

namespace onefold::ladder::learner {

enum class memory_kind : unsigned char {
  device,
  managed,  ///< of both sides, moved by the device
  pinned,   ///< of the host, in reach of the device
};

/// How a copy or a fill was written.
struct transfer_call {
  const void* pc;
  const char* name;  ///< "cudaMemcpy"
  bool waits;        ///< for what is in the stream before it
};

/// A copy whose call names no direction.
inline constexpr int no_direction = -1;

cudaError_t allocate(const void* pc, void** at, std::size_t bytes, memory_kind kind) noexcept;
cudaError_t release(const void* pc, void* at, bool pinned) noexcept;
cudaError_t transfer(const transfer_call& call, void* to, const void* from, std::size_t bytes,
                     int direction) noexcept;
cudaError_t fill(const transfer_call& call, void* at, int value, std::size_t bytes) noexcept;
/// `symbol`: a __device__ or __constant__ variable of `symbol_bytes`.
cudaError_t to_symbol(const transfer_call& call, void* symbol, std::size_t symbol_bytes,
                      const void* from, std::size_t bytes, std::size_t offset) noexcept;
cudaError_t from_symbol(const transfer_call& call, void* to, const void* symbol,
                        std::size_t symbol_bytes, std::size_t bytes, std::size_t offset) noexcept;

/// Waits for everything that was started.
cudaError_t synchronize() noexcept;
/// Frees everything.
cudaError_t reset_device() noexcept;
cudaError_t last_error(bool forget) noexcept;
const char* error_name(cudaError_t error) noexcept;
const char* error_text(cudaError_t error) noexcept;

cudaError_t device_properties(cudaDeviceProp* properties, int device) noexcept;
cudaError_t device_attribute(int* value, cudaDeviceAttr attribute, int device) noexcept;
cudaError_t free_memory(std::size_t* free_bytes, std::size_t* all_bytes) noexcept;
cudaError_t allow_dynamic_shared(std::size_t bytes) noexcept;

cudaError_t make_event(cudaEvent_t* event) noexcept;
cudaError_t record_event(cudaEvent_t event) noexcept;
cudaError_t elapsed_ms(float* milliseconds, cudaEvent_t first, cudaEvent_t last) noexcept;
cudaError_t destroy_event(cudaEvent_t event) noexcept;
cudaError_t make_stream(cudaStream_t* stream) noexcept;
cudaError_t destroy_stream(cudaStream_t stream) noexcept;

struct launch_request {
  const void* pc;
  const char* kernel;  ///< as the program writes it: "sum_blocks<256>"
  simt::shape grid, block;
  std::size_t dynamic_shared_bytes;
};
void start(const launch_request& request, simt::kernel_call call) noexcept;

}  // namespace onefold::ladder::learner
