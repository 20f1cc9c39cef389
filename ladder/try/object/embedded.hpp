// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the program carries along so that `try` needs no source tree: the headers that a learner's
// file is compiled with, and the flags, both as CMake found them when it was built.

#include <span>
#include <string_view>

namespace onefold::ladder::learner {

struct embedded_file {
  std::string_view name;  ///< as an #include names it
  std::string_view text;
};

std::span<const embedded_file> embedded_headers();

/// The flags of simt/CMakeLists.txt for kernels, one blank between two.
extern const std::string_view kernel_flags_gcc;
extern const std::string_view kernel_flags_clang;

}  // namespace onefold::ladder::learner
