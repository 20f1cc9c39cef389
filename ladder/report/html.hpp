// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements that the report is made of. Arguments called `text` are plain and get escaped;
// everything else is markup already.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder {

std::string escaped(std::string_view text);

/// <name attributes>content</name>; attributes such as R"(class="idea")".
std::string tag(std::string_view name, std::string_view attributes, std::string_view content);

/// A box that scrolls sideways by itself, also by keyboard; the page never does.
std::string scrolling(std::string_view label_text, std::string_view content);

/// A figure with its caption below.
std::string figure(std::string_view id, std::string_view content, std::string_view caption_text);

/// "reduce-modulo" of "reduce/modulo": for id and href.
std::string anchor(std::string_view rung);
std::string link_to(std::string_view rung);

/// "24,320".
std::string grouped(std::uint64_t number);

class html_table {
 public:
  struct column {
    std::string title_text;
    bool number = false;  ///< set flush right
  };

  html_table(std::string caption_text, std::vector<column> columns)
      : caption_(std::move(caption_text)), columns_(std::move(columns)) {}

  /// Cells are markup. The first is the row's head.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  std::string markup() const;

 private:
  std::string row(const std::vector<std::string>& cells) const;

  std::string caption_;
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace onefold::ladder
