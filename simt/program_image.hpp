// SPDX-License-Identifier: Apache-2.0
#pragma once
// What lies where in the running program, and in libraries of kernels that it has loaded: its
// constants, its data, and the objects in it that carry an ABI tag.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace onefold::simt {

/// In memory that no one may write: literals and tables that a kernel may read as constants.
bool is_program_constant(std::uintptr_t address);

/// In the writable data of what may hold kernels, not of other libraries.
bool is_program_data(std::uintptr_t address);

struct memory_object {
  std::uintptr_t address;
  std::size_t size_bytes;
  std::string name;  ///< the last part, without the tag
};

/// The tag of the device variables of a loaded file, each at a multiple of arena::alignment_bytes.
inline constexpr char device_tag[] = "onefold_device";

/// The tag of the __constant__ variables of a loaded file, at the same multiples.
inline constexpr char constant_tag[] = "onefold_constant";

/// The objects at multiples of `alignment_bytes` whose symbol carries the ABI tag; none when the
/// program is stripped of its symbols.
std::vector<memory_object> tagged_objects(const std::string& tag, std::size_t alignment_bytes);

}  // namespace onefold::simt
