// SPDX-License-Identifier: Apache-2.0
#include "simt/symbols.hpp"

#include <backtrace.h>

namespace onefold::simt {
namespace {

// Missing debug information is an empty location, not a failure.
void ignore_error(void*, const char*, int) {}

backtrace_state* state() {
  static backtrace_state* const once = backtrace_create_state(nullptr, 0, ignore_error, nullptr);
  return once;
}

// Called for the innermost inlined function first; a non-zero return keeps that one.
int keep_first(void* data, std::uintptr_t, const char* file, int line, const char*) {
  if (file == nullptr) return 0;
  *static_cast<location*>(data) = {file, static_cast<unsigned>(line)};
  return 1;
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
  backtrace_pcinfo(state(), return_address - 1, keep_first, ignore_error, &found);
  return found;
}

symbol symbol_at(std::uintptr_t address) {
  symbol found;
  backtrace_syminfo(state(), address, keep_symbol, ignore_error, &found);
  return found;
}

}  // namespace onefold::simt
