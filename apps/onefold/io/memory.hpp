// SPDX-License-Identifier: Apache-2.0
// Inputs that must be in memory as a whole, within the memory limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "io/input.hpp"
#include "onefold/array_view.hpp"

namespace onefold::program {

/// The memory that a run may use: --mem-limit, else the limit of the machine or its container.
class memory_budget {
 public:
  explicit memory_budget(const request& request);

  /// Throws failure (out_of_memory) if `bytes` more exceed the limit. `why`: what needs them.
  void take(std::uint64_t bytes, const std::string& name, const char* why);

 private:
  std::uint64_t machine_bytes_;
  std::uint64_t limit_bytes_;
  std::uint64_t taken_bytes_ = 0;
};

/// An input that was loaded as a whole.
struct loaded {
  std::unique_ptr<std::byte[]> data;
  layout described;
  std::uint64_t bytes = 0;  ///< read

  array_view view() const noexcept { return view_of(described, data.get()); }
};

/// Reads all elements. `why`: what needs them in memory. Throws failure.
loaded load_elements(input& from, const request& request, memory_budget& budget, const char* why);

}  // namespace onefold::program
