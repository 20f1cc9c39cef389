// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    default:
      safe += c;
    }
  }
  return safe;
}

std::string tag(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{}{}{}>{}</{}>", name, attributes.empty() ? "" : " ", attributes, content,
                     name);
}

std::string scrolling(std::string_view label_text, std::string_view content) {
  return fmt::format(R"(<div class="scroll" role="region" tabindex="0" aria-label="{}">{}</div>)",
                     escaped(label_text), content);
}

std::string figure(std::string_view id, std::string_view content, std::string_view caption_text) {
  return fmt::format("<figure id=\"{}\">{}<figcaption>{}</figcaption></figure>\n", id,
                     scrolling(caption_text, content), escaped(caption_text));
}

std::string anchor(std::string_view rung) {
  std::string id(rung);
  std::ranges::replace(id, '/', '-');
  return id;
}

std::string link_to(std::string_view rung) {
  return fmt::format(R"(<a href="#{}">{}</a>)", anchor(rung), escaped(rung));
}

std::string grouped(std::uint64_t number) {
  if (number < 1000) return fmt::format("{}", number);
  return fmt::format("{},{:03}", grouped(number / 1000), number % 1000);
}

std::string html_table::row(const std::vector<std::string>& cells) const {
  std::string line = tag("th", R"(scope="row")", cells.front());
  for (std::size_t i = 1; i < cells.size(); ++i) {
    line += tag("td", columns_[i].number ? R"(class="number")" : "", cells[i]);
  }
  return tag("tr", "", line) + "\n";
}

std::string html_table::markup() const {
  std::string heads, body;
  for (const column& c : columns_) {
    heads += tag("th", c.number ? R"(scope="col" class="number")" : R"(scope="col")",
                 escaped(c.title_text));
  }
  for (const auto& cells : rows_) body += row(cells);
  const std::string all = tag("caption", "", escaped(caption_)) +
                          tag("thead", "", tag("tr", "", heads)) + tag("tbody", "", body);
  return scrolling(caption_, tag("table", "", all)) + "\n";
}

}  // namespace onefold::ladder
