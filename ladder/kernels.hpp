// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compiled kernels by name and element type. Light, because the instrumented translation unit
// includes it; everything else goes through find_kernel in trial.cpp.

#include "simt/launch.hpp"

namespace onefold::ladder {

enum class element : unsigned char { int32, float32, float64 };

struct kernel_arguments {
  const void* in;
  std::size_t n;
  void* partials;
};

struct kernel_entry {
  const char* rung;
  element type;
  void (*launch)(simt::executor&, const simt::launch_config&, const kernel_arguments&);
};

extern const kernel_entry kernels[];
extern const std::size_t kernel_count;

}  // namespace onefold::ladder
