// SPDX-License-Identifier: Apache-2.0
// The kernels of a program, and which of them it has launched: mangled names.
#pragma once

#include <set>
#include <string>

namespace onefold::cuda::test {

struct kernel_names {
  std::set<std::string> all, launched;
};
/// Where ONEFOLD_LAUNCHES names a file, the program appends both lists to it when it ends.
kernel_names& kernels_seen();

/// What nvcc's code does before main for each kernel: `entry` is its function on the host.
void add_kernel(const void* entry, const char* name);
/// Returns the name; null where the kernel was never registered.
const char* add_launch(const void* entry);

}  // namespace onefold::cuda::test
