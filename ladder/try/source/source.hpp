// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads a learner's file, whatever the name turns out to be.

#include <string>

namespace onefold::ladder::learner {

/// Far above any file of kernels, and little enough to lex at once.
inline constexpr std::size_t max_source_bytes = std::size_t{1} << 20;

/// Fails: std::invalid_argument for a name that is no readable text file of at most 1 MiB; the
/// size is judged before anything is read.
std::string read_source(const std::string& file);

/// Whether both names lead to one file; debug information may name it otherwise than it was typed.
bool same_file(const std::string& a, const std::string& b);

}  // namespace onefold::ladder::learner
