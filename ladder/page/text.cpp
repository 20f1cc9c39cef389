// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {

std::size_t width(const std::string& utf8) {
  return static_cast<std::size_t>(std::count_if(
      utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

std::vector<std::size_t> text_table::widths() const {
  std::vector<std::size_t> widest;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t w = width(columns_[i].title);
    for (const auto& row : rows_) w = std::max(w, width(row[i]));
    widest.push_back(w);
  }
  return widest;
}

std::string text_table::line(const std::vector<std::string>& cells,
                             const std::vector<std::size_t>& widths) const {
  std::string text = indent_;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string blanks(widths[i] - width(cells[i]), ' ');
    if (i != 0) text += "  ";
    text += columns_[i].side == align::right ? blanks + cells[i] : cells[i] + blanks;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string text_table::text() const {
  const std::vector<std::size_t> widest = widths();
  std::vector<std::string> titles;
  for (const column& c : columns_) titles.push_back(c.title);
  std::string text = line(titles, widest);
  for (const auto& row : rows_) text += line(row, widest);
  return text;
}

std::string launch_line(const trial_options& options) {
  std::string order = to_string(options.order);
  if (options.order == simt::schedule::shuffled) order += fmt::format(" by seed {}", options.seed);
  std::string line = fmt::format("n {}, block {}, {}, schedule {}, warp {}", options.n,
                                 options.block, to_string(options.type), order, options.warp);
  if (options.op != operation::sum) line += fmt::format(", op {}", to_string(options.op));
  if (options.drive != driver::host) line += fmt::format(", driver {}", to_string(options.drive));
  return line;
}

}  // namespace onefold::ladder
