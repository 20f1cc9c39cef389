// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program and its libraries as the loader has them now: what dlopen adds, the next look sees.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onefold::simt {

struct segment {
  std::uintptr_t begin;
  std::size_t size_bytes;
  bool writable;
  bool may_hold_kernels;  ///< of the program, or of a library that calls the executor's callbacks

  bool holds(std::uintptr_t address) const { return address - begin < size_bytes; }
};

/// Changes whenever an object is loaded or unloaded.
std::uint64_t loaded_version();

/// Of everything that was loaded when the version was last refreshed.
const std::vector<segment>& loaded_segments();

/// Reads the loader's list again if it has changed. Returns its version.
std::uint64_t refresh_loaded_segments();

}  // namespace onefold::simt
