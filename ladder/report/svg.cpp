// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/svg.hpp"

#include "ladder/report/html.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

drawing::drawing(int width, int height, std::string title_text)
    : width_(width), height_(height), title_(std::move(title_text)) {}

void drawing::box(int x, int y, int width, int height, std::string_view style) {
  (in_step_ ? step_shapes_ : shapes_) += fmt::format(
      R"(<rect x="{}" y="{}" width="{}" height="{}" class="{}"/>)", x, y, width, height, style);
}

void drawing::cell(int x, int y, int width, int height, std::string_view style) {
  paths& list = in_step_ ? step_paths_ : paths_;
  auto at = list.find(style);
  if (at == list.end()) at = list.emplace(style, "").first;
  at->second += fmt::format("M{} {}h{}v{}h-{}z", x, y, width, height, width);
}

void drawing::line(std::pair<int, int> from, std::pair<int, int> to, std::string_view style) {
  (in_step_ ? step_shapes_ : shapes_) +=
      fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>)", from.first, from.second,
                  to.first, to.second, style);
}

void drawing::words(int x, int y, std::string_view text, std::string_view style) {
  std::string& shapes = in_step_ ? step_shapes_ : shapes_;
  shapes += fmt::format(R"(<text x="{}" y="{}")", x, y);
  if (!style.empty()) shapes += fmt::format(R"( class="{}")", style);
  shapes += fmt::format(">{}</text>", escaped(text));
}

void drawing::begin_step(unsigned step) {
  in_step_ = true;
  step_ = step;
}

void drawing::end_step() {
  shapes_ += fmt::format(R"(<g class="step" data-step="{}">{}{}</g>)", step_,
                         markup_of(step_paths_), step_shapes_);
  step_paths_.clear();
  step_shapes_.clear();
  in_step_ = false;
}

std::string drawing::markup_of(const paths& list) {
  std::string text;
  for (const auto& [style, path] : list) {
    text += fmt::format(R"(<path class="{}" d="{}"/>)", style, path);
  }
  return text;
}

std::string drawing::markup() const {
  const std::string title = escaped(title_);
  return fmt::format(R"(<svg role="img" aria-label="{}" width="{}" height="{}" )", title, width_,
                     height_) +
         fmt::format(R"(viewBox="0 0 {} {}"><title>{}</title>{}{}</svg>)", width_, height_, title,
                     markup_of(paths_), shapes_);
}

int words_width(std::string_view text) {
  constexpr int ten_letters = 66;  // of 11 px, monospaced
  return static_cast<int>(text.size()) * ten_letters / 10 + 1;
}

}  // namespace onefold::ladder
