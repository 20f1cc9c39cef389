// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small kernels with one defect each, or with something that only looks like one.

#include "simt/launch.hpp"

namespace onefold::simt::test {

struct kernel_memory {
  const int* in;
  std::size_t n;
  int* out;
};

struct test_kernel {
  const char* name;
  void (*launch)(executor&, const launch_config&, const kernel_memory&);
};

extern const test_kernel planted_kernels[];
extern const std::size_t planted_kernel_count;

}  // namespace onefold::simt::test
