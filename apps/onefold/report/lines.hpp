// SPDX-License-Identifier: Apache-2.0
// Tables of text: fields with tabs between, or aligned columns; and their last columns, which say
// which array a line is about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace onefold::program {

/// A tensor of a file that has several.
struct tensor_label {
  std::string input;  ///< the file, as the user wrote it
  std::string name;
  std::string dtype;  ///< this program's name for it; the file's for a type that is not read
  std::vector<std::int64_t> shape;
};

using fields = std::vector<std::string>;
using line_taker = std::function<void(const fields&)>;
/// Passes every line of a table on. It may run more than once.
using table_walk = std::function<void(const line_taker&)>;

/// A line for each row, with tabs between the fields.
std::string with_tabs(const table_walk& lines);
/// Right-aligned, except for the last `labels` columns.
std::string in_columns(const table_walk& lines, std::size_t labels);

/// The number of label columns.
constexpr std::size_t label_columns(bool tensors) {
  return tensors ? 4 : 1;
}
/// The names of the label columns.
void append_label_names(fields& line, bool tensors);
/// The labels of a line. `input`: as the user wrote it; none: all inputs together.
void append_labels(fields& line, const std::optional<std::string>& input,
                   const std::optional<tensor_label>& tensor, bool tensors);

/// The label as a member of a JSON object, with a comma after it; empty without a tensor.
std::string json_tensor(const std::optional<tensor_label>& tensor);

}  // namespace onefold::program
