// SPDX-License-Identifier: Apache-2.0
// The format of an input.
#pragma once

#include <string>
#include <string_view>

#include "onefold/status.hpp"

namespace onefold::program {

enum class file_format : unsigned char { automatic, npy, raw, text, safetensors };

constexpr std::string_view name(file_format format) noexcept {
  constexpr std::string_view names[] = {"auto", "npy", "raw", "text", "safetensors"};
  return names[static_cast<unsigned>(format)];
}

/// The format of an input by its name; text for standard input.
/// Fails: usage (an unknown extension, or a format of a later version).
result<file_format> format_of(const std::string& input_name);

}  // namespace onefold::program
