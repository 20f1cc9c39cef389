// SPDX-License-Identifier: Apache-2.0
// The layout of tables of text.
#include "report/lines.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/escape.hpp"

namespace onefold::program {
namespace {

constexpr const char* name_of_all = "total";
constexpr const char* no_tensor = "-";

}  // namespace

std::string with_tabs(const table_walk& lines) {
  std::string text;
  lines([&](const fields& line) {
    for (std::size_t i = 0; i < line.size(); ++i) text.append(i == 0 ? "" : "\t").append(line[i]);
    text += '\n';
  });
  return text;
}

std::string in_columns(const table_walk& lines, std::size_t labels) {
  std::vector<std::size_t> widths;
  lines([&](const fields& line) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  });
  std::string text;
  lines([&](const fields& line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool label = i + labels >= line.size();
      const bool last = i + 1 == line.size();
      const std::size_t space = widths[i] - line[i].size();
      if (i > 0) text += "  ";
      if (!label) text.append(space, ' ');
      text += line[i];
      if (label && !last) text.append(space, ' ');
    }
    text += '\n';
  });
  return text;
}

void append_label_names(fields& line, bool tensors) {
  if (tensors) line.insert(line.end(), {"tensor", "dtype", "shape"});
  line.emplace_back("input");
}

void append_labels(fields& line, const std::optional<std::string>& input,
                   const std::optional<tensor_label>& tensor, bool tensors) {
  if (tensor)
    line.insert(line.end(), {table_field(tensor->name), table_field(tensor->dtype),
                             fmt::format("({})", fmt::join(tensor->shape, ","))});
  else if (tensors)
    line.insert(line.end(), 3, no_tensor);
  line.push_back(input ? table_field(*input) : name_of_all);
}

std::string json_tensor(const std::optional<tensor_label>& tensor) {
  if (!tensor) return {};
  return fmt::format(R"("tensor": {{"name": {}, "dtype": {}, "shape": [{}]}}, )",
                     json_string(tensor->name), json_string(tensor->dtype),
                     fmt::join(tensor->shape, ", "));
}

}  // namespace onefold::program
