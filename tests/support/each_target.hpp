// SPDX-License-Identifier: Apache-2.0
// Every SIMD target in turn, and the threads and sizes that tests of the engine go through.
#pragma once

#include <string>

#include "cpu/kernels/targets.hpp"

namespace onefold::test {

/// Calls f(name) with each SIMD target of this machine in use; the best one comes back at the end.
template <class F>
void on_each_target(F&& f) {
  const auto& before = cpu::active_table();
  for (const auto* table : cpu::tables()) {
    cpu::use_table(*table);
    f(std::string(table->target));
  }
  cpu::use_table(before);
}

/// One thread, as many as there are, and more than there are.
inline constexpr int thread_counts[] = {1, 2, 3, 8};

}  // namespace onefold::test
