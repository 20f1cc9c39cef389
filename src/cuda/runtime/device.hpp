// SPDX-License-Identifier: Apache-2.0
// Devices and their properties, and the memory that an address is in.
#pragma once

#include <initializer_list>

#include "cuda/runtime/failure.hpp"
#include "onefold/executor.hpp"

namespace onefold::cuda {

/// Makes a device the calling thread's current device for the length of a scope.
class device_guard {
 public:
  /// Fails: throws onefold::error.
  explicit device_guard(int device);
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard();

 private:
  int before_ = 0;
};

enum class memory : unsigned char {
  pageable,  ///< of the host
  pinned,    ///< of the host, page-locked: copied from directly
  device,    ///< of a device, or managed
};

struct memory_facts {
  memory kind = memory::pageable;
  int device = -1;  ///< of device memory
};

/// Fails: throws onefold::error.
memory_facts memory_of(const void* address);

/// How many devices there are. Fails: throws onefold::error (unsupported: none, with the reason).
int device_count();

/// The executor's device, where the data do not determine one. Fails: throws onefold::error
/// (unsupported).
int device_of(const executor::cuda& on);

/// The device whose memory holds all arrays; null addresses are none. Fails: throws onefold::error:
/// unsupported (no device, host memory), mismatch (memory of several devices, or not of the
/// executor's).
int device_of_all(const executor::cuda& on, std::initializer_list<const void*> addresses);

/// Cached: queries the driver once for each device. Fails: throws onefold::error.
unsigned multiprocessors_of(int device);
/// Shared memory that a block may have. Cached likewise; throws likewise.
std::size_t shared_bytes_of(int device);
/// The throughput of float32 operations divided by that of float64. Cached likewise; throws
/// likewise.
int float32_per_float64_of(int device);

}  // namespace onefold::cuda
