// SPDX-License-Identifier: Apache-2.0
#include "simt/symbols.hpp"

#include "simt/loaded_objects.hpp"

#include <backtrace.h>

#include <algorithm>
#include <string_view>

namespace onefold::simt {
namespace {

// Missing debug information is an empty location, not a failure.
void ignore_error(void*, const char*, int) {}

// A state knows the objects that were loaded when it was first used, and cannot be given back:
// each load of a library leaves one behind.
backtrace_state* state() {
  static backtrace_state* current = nullptr;
  static std::uint64_t version = 0;
  if (const std::uint64_t now = loaded_version(); current == nullptr || version != now) {
    version = now;
    current = backtrace_create_state(nullptr, 0, ignore_error, nullptr);
  }
  return current;
}

/// Words that are inlined into kernels stand in headers of this folder or of the C++ library.
bool is_word(std::string_view file) {
  if (file.find("/include/c++/") != std::string_view::npos) return true;
  const std::string_view folder = file.substr(0, std::min(file.rfind('/'), file.size()));
  return file.ends_with(".hpp") && (folder == "simt" || folder.ends_with("/simt"));
}

// Called for the innermost inlined function first; a non-zero return ends the search.
int keep_kernel_line(void* data, std::uintptr_t, const char* file, int line, const char*) {
  if (file == nullptr) return 0;
  *static_cast<location*>(data) = {file, static_cast<unsigned>(line)};
  return is_word(file) ? 0 : 1;
}

int keep_all_lines(void* data, std::uintptr_t, const char* file, int line, const char*) {
  if (file != nullptr)
    static_cast<std::vector<location>*>(data)->push_back({file, static_cast<unsigned>(line)});
  return 0;
}

void keep_symbol(void* data, std::uintptr_t, const char* name, std::uintptr_t address,
                 std::uintptr_t size_bytes) {
  if (name != nullptr) *static_cast<symbol*>(data) = {name, address, size_bytes};
}

}  // namespace

std::string to_string(const location& place) {
  if (place.file.empty()) return "unknown place";
  return place.file + ":" + std::to_string(place.line);
}

location locate(std::uintptr_t return_address) {
  location found;
  // The return address may already belong to the next line.
  backtrace_pcinfo(state(), return_address - 1, keep_kernel_line, ignore_error, &found);
  return found;
}

std::vector<location> all_lines(std::uintptr_t return_address) {
  std::vector<location> found;
  backtrace_pcinfo(state(), return_address - 1, keep_all_lines, ignore_error, &found);
  return found;
}

symbol symbol_at(std::uintptr_t address) {
  symbol found;
  backtrace_syminfo(state(), address, keep_symbol, ignore_error, &found);
  return found;
}

}  // namespace onefold::simt
