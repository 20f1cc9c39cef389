// SPDX-License-Identifier: Apache-2.0
// Queries of the CUDA driver that do not initialise it.
#include "cuda/runtime/driver.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace onefold::cuda {
namespace {

// cuPointerGetAttribute of the driver, declared here: one function does not justify the toolkit's
// driver header.
using attribute_query = int (*)(void* to, int attribute, std::uintptr_t address);
constexpr int memory_type = 2, is_managed = 8;  // attributes
constexpr int success = 0, not_initialized = 3;
constexpr unsigned device_memory = 2;

// Loading the driver's library does not initialise it: cuInit does, and takes half a second on some
// machines.
attribute_query find_query() noexcept {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return nullptr;
  return reinterpret_cast<attribute_query>(dlsym(driver, "cuPointerGetAttribute"));
}

attribute_query query() noexcept {
  static const attribute_query found = find_query();
  return found;
}

// Pageable memory is copied through a pinned buffer, which one thread fills.
constexpr double link_rate = 10e9, thread_rate = 12e9;
constexpr double first_start_s = 0.5, next_start_s = 100e-6;

}  // namespace

bool driver_has_on_device(const void* address) noexcept {
  const attribute_query ask = query();
  if (ask == nullptr) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  unsigned type = 0, managed = 0;
  if (ask(&type, memory_type, at) != success) return false;
  if (type == device_memory) return true;
  return ask(&managed, is_managed, at) == success && managed != 0;
}

transfer_rates host_transfer() noexcept {
  const attribute_query ask = query();
  if (ask == nullptr) return {};
  unsigned type = 0;
  const bool started =
      ask(&type, memory_type, reinterpret_cast<std::uintptr_t>(&type)) != not_initialized;
  return {link_rate, thread_rate, started ? next_start_s : first_start_s};
}

}  // namespace onefold::cuda
