// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory and launches of the executor or of a GPU, so that a problem is written once.

#include "ladder/kernels/kernels.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace onefold::ladder {

class backend : public engine {
 public:
  /// Memory that holds nothing yet; it lives as long as the backend.
  /// Fails: std::length_error or std::runtime_error when there is no room.
  virtual void* allocate(std::size_t bytes, const std::string& name) = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// From device memory to device memory, in the order of the launches.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void clear(void* at, std::size_t bytes) = 0;

  /// The tables of the kernels that this backend can start.
  virtual std::span<const kernel_table> tables() const = 0;
};

/// Null: no kernel of that rung takes this type with this operator.
const kernel_entry* find_kernel(const backend& where, std::string_view rung, element type,
                                operation op);

}  // namespace onefold::ladder
