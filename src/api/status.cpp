// SPDX-License-Identifier: Apache-2.0
// The status table: the name and the exit code of every status code.
#include "onefold/status.hpp"

#include <new>
#include <stdexcept>

namespace onefold {
namespace {

struct row {
  status_code code;
  std::string_view name;
  int exit_code;
};

constexpr row table[] = {
    {status_code::ok, "ok", 0},
    {status_code::io_error, "io_error", 1},
    {status_code::usage, "usage", 2},
    {status_code::malformed, "malformed", 3},
    {status_code::empty, "empty", 4},
    {status_code::overflow, "overflow", 4},
    {status_code::not_a_number, "not_a_number", 4},
    {status_code::missing_value, "missing_value", 4},
    {status_code::unsupported, "unsupported", 2},
    {status_code::mismatch, "mismatch", 2},
    {status_code::out_of_memory, "out_of_memory", 1},
    {status_code::cancelled, "cancelled", 130},
    {status_code::unsound_arithmetic, "unsound_arithmetic", 1},
    {status_code::device_error, "device_error", 1},
};

const row& find(status_code code) noexcept {
  for (const auto& entry : table)
    if (entry.code == code) return entry;
  return table[0];
}

}  // namespace

status detail::memory_refused() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {status_code::out_of_memory, "no memory"};  // short enough to need no allocation
  } catch (const std::length_error&) {
    return {status_code::out_of_memory, "no memory"};
  }
}

void detail::throw_error(const status& why) {
  throw error(why);
}

std::string_view name(status_code code) noexcept {
  return find(code).name;
}

int exit_code(status_code code) noexcept {
  return find(code).exit_code;
}

}  // namespace onefold
