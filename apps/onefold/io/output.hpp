// SPDX-License-Identifier: Apache-2.0
// Where the report goes: standard output, or a file that appears complete or not at all.
//
// A file is written under a temporary name beside its own, flushed to the disk and renamed. What
// is there and no regular file (/dev/null, a FIFO) is written to as it is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "onefold/status.hpp"

namespace onefold::program {

class output {
 public:
  /// Opens the file, so that a name that cannot be written fails before the work and not after;
  /// none: standard output. Fails: io_error.
  static result<output> open(const std::optional<std::string>& path);

  output(output&& other) noexcept;
  output& operator=(output&&) = delete;
  ~output();

  /// Writes the report and puts it in its place. Fails: io_error.
  status deliver(std::string_view text);

 private:
  output() = default;
  status open_temporary();
  status put_in_place();

  std::string path_;       // empty: standard output
  std::string temporary_;  // empty: written in place
  int descriptor_ = -1;
};

/// Fails where writing to the path would replace an input: the same file, whatever its names.
/// Fails: usage.
status check_not_an_input(const std::string& path, std::span<const std::string> inputs);

}  // namespace onefold::program
