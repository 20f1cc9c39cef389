// SPDX-License-Identifier: Apache-2.0
#include "simt/callbacks.hpp"

#include "simt/executor.hpp"
#include "simt/launch.hpp"

#include <utility>

namespace onefold::simt {

executor* running_executor = nullptr;

namespace {

template <class Tell>
inline void from_lane(Tell&& tell) {
  executor* const device = std::exchange(running_executor, nullptr);
  if (device == nullptr) return;
  tell(*device);
  running_executor = device;
}

inline void on_access(const void* address, unsigned size_bytes, bool writes, const void* pc) {
  from_lane([=](executor& device) {
    device.on_access(reinterpret_cast<std::uintptr_t>(address), size_bytes, writes,
                     reinterpret_cast<std::uintptr_t>(pc));
  });
}

}  // namespace

void* dynamic_shared_memory() noexcept {
  return running_executor == nullptr ? nullptr : running_executor->dynamic_shared();
}

}  // namespace onefold::simt

void __syncthreads() noexcept;
void __syncthreads() noexcept {
  const auto pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  onefold::simt::from_lane([pc](onefold::simt::executor& device) { device.on_barrier(pc); });
}

// What g++ and clang call from code compiled with -fsanitize=thread -fsanitize-coverage=trace-pc.
// Defined here, they take the place of ThreadSanitizer's run time: never link this library into a
// program that is to be checked by ThreadSanitizer.
#define ONEFOLD_CALLBACK(name, size_bytes, writes)                                                 \
  void name(void* address) {                                                                       \
    onefold::simt::on_access(address, size_bytes, writes, __builtin_return_address(0));            \
  }
#define ONEFOLD_CALLBACKS(kind, size_bytes)                                                        \
  ONEFOLD_CALLBACK(__tsan_##kind##read##size_bytes, size_bytes, false)                             \
  ONEFOLD_CALLBACK(__tsan_##kind##write##size_bytes, size_bytes, true)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {
ONEFOLD_CALLBACKS(, 1)
ONEFOLD_CALLBACKS(, 2)
ONEFOLD_CALLBACKS(, 4)
ONEFOLD_CALLBACKS(, 8)
ONEFOLD_CALLBACKS(, 16)
ONEFOLD_CALLBACKS(unaligned_, 2)
ONEFOLD_CALLBACKS(unaligned_, 4)
ONEFOLD_CALLBACKS(unaligned_, 8)
ONEFOLD_CALLBACKS(unaligned_, 16)
ONEFOLD_CALLBACKS(volatile_, 1)
ONEFOLD_CALLBACKS(volatile_, 2)
ONEFOLD_CALLBACKS(volatile_, 4)
ONEFOLD_CALLBACKS(volatile_, 8)
ONEFOLD_CALLBACKS(volatile_, 16)
ONEFOLD_CALLBACKS(unaligned_volatile_, 2)
ONEFOLD_CALLBACKS(unaligned_volatile_, 4)
ONEFOLD_CALLBACKS(unaligned_volatile_, 8)
ONEFOLD_CALLBACKS(unaligned_volatile_, 16)

void __tsan_read_range(void* address, unsigned long size_bytes) {
  onefold::simt::on_access(address, static_cast<unsigned>(size_bytes), false,
                           __builtin_return_address(0));
}
void __tsan_write_range(void* address, unsigned long size_bytes) {
  onefold::simt::on_access(address, static_cast<unsigned>(size_bytes), true,
                           __builtin_return_address(0));
}

void __sanitizer_cov_trace_pc() {
  const auto pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  onefold::simt::from_lane([pc](onefold::simt::executor& device) { device.on_step(pc); });
}

// Not asked for by any observer.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
}
#pragma GCC diagnostic pop
