// SPDX-License-Identifier: Apache-2.0
#pragma once
// Aligned columns and the line that names a launch.

#include "ladder/rung/trial.hpp"

#include <string>
#include <vector>

namespace onefold::ladder {

enum class align { left, right };

class text_table {
 public:
  struct column {
    std::string title;
    align side;
  };

  explicit text_table(std::vector<column> columns, std::string indent = "")
      : columns_(std::move(columns)), indent_(std::move(indent)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// Title line and rows; two blanks between columns, none at the end of a line.
  std::string text() const;

 private:
  std::vector<std::size_t> widths() const;
  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::vector<column> columns_;
  std::string indent_;
  std::vector<std::vector<std::string>> rows_;
};

/// Places on the screen, not bytes: titles hold letters outside ASCII.
std::size_t width(const std::string& utf8);

/// "n 65536, block 256, int, schedule forward, warp 32".
std::string launch_line(const trial_options& options);

}  // namespace onefold::ladder
