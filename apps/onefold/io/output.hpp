// SPDX-License-Identifier: Apache-2.0
// The output of a report: standard output, or a file that appears complete or not at all.
//
// A file is written under a temporary name in the same folder, flushed to the disk and renamed. An
// existing path that is not a regular file (/dev/null, a FIFO) is written directly.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "onefold/status.hpp"

namespace onefold::program {

class output {
 public:
  /// Opens the file, so that a name that cannot be written fails before the work starts; none:
  /// standard output. Fails: io_error.
  static result<output> open(const std::optional<std::string>& path);

  output(output&& other) noexcept;
  output& operator=(output&&) = delete;
  ~output();

  /// Writes the report and renames it to its final name. Fails: io_error.
  status deliver(std::string_view text);

 private:
  output() = default;
  status open_temporary();
  status put_in_place();

  std::string path_;       // empty: standard output
  std::string temporary_;  // empty: written in place
  int descriptor_ = -1;
};

/// Checks that writing to the path replaces no input: the same file under any name.
/// Fails: usage.
status check_not_an_input(const std::string& path, std::span<const std::string> inputs);

}  // namespace onefold::program
