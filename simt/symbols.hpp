// SPDX-License-Identifier: Apache-2.0
#pragma once
// Addresses to file and line, inside the process.
//
// libbacktrace (the archive that g++ brings) reads the program's own DWARF and knows where the
// loader put it, so the answer survives PIE and ASLR and needs no other program. A stripped
// program gives empty locations.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace onefold::simt {

struct location {
  std::string file;  ///< as the compiler was told, relative to the source tree
  unsigned line = 0;
  bool operator==(const location&) const = default;
  auto operator<=>(const location&) const = default;
};

/// "ladder/reduce/modulo.cuh:31", or "unknown place" without debug information.
std::string to_string(const location& place);

/// Where the call that returns to `return_address` was written.
location locate(std::uintptr_t return_address);

/// The same, and where the functions that were inlined around it were called, from inside out.
std::vector<location> all_lines(std::uintptr_t return_address);

struct symbol {
  std::string name;  ///< mangled; empty when there is none
  std::uintptr_t address = 0;
  std::size_t size_bytes = 0;
};

/// The function or object that holds the address.
symbol symbol_at(std::uintptr_t address);

}  // namespace onefold::simt
