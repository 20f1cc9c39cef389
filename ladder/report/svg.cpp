// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/svg.hpp"

#include "ladder/report/html.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

drawing::drawing(int width, int height, std::string title_text)
    : width_(width), height_(height), title_(std::move(title_text)) {}

void drawing::box(int x, int y, int width, int height, std::string_view style) {
  shapes_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" class="{}"/>)", x, y, width,
                         height, style);
}

void drawing::cell(int x, int y, int width, int height, std::string_view style) {
  auto at = paths_.find(style);
  if (at == paths_.end()) at = paths_.emplace(style, "").first;
  at->second += fmt::format("M{} {}h{}v{}h-{}z", x, y, width, height, width);
}

void drawing::line(std::pair<int, int> from, std::pair<int, int> to, std::string_view style) {
  shapes_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>)", from.first,
                         from.second, to.first, to.second, style);
}

void drawing::way(const std::vector<std::pair<int, int>>& points, std::string_view style) {
  std::string list;
  for (const auto& [x, y] : points) list += fmt::format("{}{},{}", list.empty() ? "" : " ", x, y);
  shapes_ += fmt::format(R"(<polyline points="{}" class="{}"/>)", list, style);
}

void drawing::dot(int x, int y, std::string_view style) {
  shapes_ += fmt::format(R"(<circle cx="{}" cy="{}" r="4" class="{}"/>)", x, y, style);
}

void drawing::words(int x, int y, std::string_view text, std::string_view style) {
  shapes_ += fmt::format(R"(<text x="{}" y="{}")", x, y);
  if (!style.empty()) shapes_ += fmt::format(R"( class="{}")", style);
  shapes_ += fmt::format(">{}</text>", escaped(text));
}

std::string drawing::markup() const {
  std::string behind;
  for (const auto& [style, path] : paths_) {
    behind += fmt::format(R"(<path class="{}" d="{}"/>)", style, path);
  }
  const std::string title = escaped(title_);
  return fmt::format(R"(<svg role="img" aria-label="{}" width="{}" height="{}" )", title, width_,
                     height_) +
         fmt::format(R"(viewBox="0 0 {} {}"><title>{}</title>{}{}</svg>)", width_, height_, title,
                     behind, shapes_);
}

int words_width(std::string_view text) {
  constexpr int letter = 8;  // of 13 px, monospaced
  return letter * static_cast<int>(text.size());
}

}  // namespace onefold::ladder
