// SPDX-License-Identifier: Apache-2.0
#pragma once
// A drawing of boxes, lines and words, as inline SVG. Colours are classes of the report's style
// sheet (report_style.cpp), so that they follow the reader's light or dark.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onefold::ladder {

class drawing {
 public:
  /// The title is what a screen reader says and a pointer shows.
  drawing(int width, int height, std::string title_text);

  void box(int x, int y, int width, int height, std::string_view style);
  /// Boxes of one style become one path, behind all that is drawn otherwise.
  void cell(int x, int y, int width, int height, std::string_view style);
  void line(std::pair<int, int> from, std::pair<int, int> to, std::string_view style);
  void way(const std::vector<std::pair<int, int>>& points, std::string_view style);
  void dot(int x, int y, std::string_view style);
  void words(int x, int y, std::string_view text, std::string_view style = "");

  std::string markup() const;

 private:
  int width_, height_;
  std::string title_;
  std::map<std::string, std::string, std::less<>> paths_;
  std::string shapes_;
};

/// Room for a line of words in the drawings' letters.
int words_width(std::string_view text);

}  // namespace onefold::ladder
