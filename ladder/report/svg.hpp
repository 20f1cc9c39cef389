// SPDX-License-Identifier: Apache-2.0
#pragma once
// A drawing of boxes, lines and words, as inline SVG. Colours are classes of the report's style
// sheet (report_style.cpp), so that they follow the reader's light or dark.
//
// Every drawing is `paper_width` wide or less: it fits a telephone as it is, and grows on a wide
// screen.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onefold::ladder {

inline constexpr int paper_width = 360;

class drawing {
 public:
  /// The title is what a screen reader says and a pointer shows.
  drawing(int width, int height, std::string title_text);

  void box(int x, int y, int width, int height, std::string_view style);
  /// Boxes of one style become one path, behind all that is drawn otherwise.
  void cell(int x, int y, int width, int height, std::string_view style);
  void line(std::pair<int, int> from, std::pair<int, int> to, std::string_view style);
  void words(int x, int y, std::string_view text, std::string_view style = "");

  /// Until end_step(), everything belongs to this step: a slider shows the steps up to one.
  void begin_step(unsigned step);
  void end_step();

  std::string markup() const;

 private:
  using paths = std::map<std::string, std::string, std::less<>>;
  static std::string markup_of(const paths& list);

  int width_, height_;
  std::string title_;
  paths paths_, step_paths_;
  std::string shapes_, step_shapes_;
  bool in_step_ = false;
  unsigned step_ = 0;
};

/// Room for a line of words in the drawings' letters.
int words_width(std::string_view text);

}  // namespace onefold::ladder
