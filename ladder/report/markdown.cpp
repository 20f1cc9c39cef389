// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/markdown.hpp"

#include "ladder/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace onefold::ladder {
namespace {

bool starts(std::string_view line, std::string_view with) {
  return line.substr(0, with.size()) == with;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string link(std::string_view words, std::string_view address, const link_target& links) {
  const std::string target = links(address);
  const auto nowhere = [](std::string_view) { return std::string(); };
  const std::string shown =
      target.empty() ? inline_markdown(words, links) : inline_markdown(words, nowhere);
  return target.empty() ? shown : fmt::format(R"(<a href="{}">{}</a>)", escaped(target), shown);
}

/// The ] of the [ in front, if a ( follows it.
std::size_t end_of_brackets(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[';
    depth -= text[i] == ']';
    if (depth != 0) continue;
    return starts(text.substr(i), "](") ? i : std::string_view::npos;
  }
  return std::string_view::npos;
}

/// The markup of the element that begins at the front of `text`, if one does; `used` letters.
std::string element_at(std::string_view text, const link_target& links, std::size_t& used) {
  const auto between = [&](std::string_view mark) -> std::string_view {
    const std::size_t end = text.find(mark, mark.size());
    if (end == std::string_view::npos || end == mark.size()) return {};
    used = end + mark.size();
    return text.substr(mark.size(), end - mark.size());
  };
  used = 0;
  if (starts(text, "`")) {
    const std::string_view code = between("`");
    if (used == 0) return "";
    const bool is_path =
        code.find('/') != std::string_view::npos && code.find(' ') == std::string_view::npos;
    const std::string shown = tag("code", "", escaped(code)), target = is_path ? links(code) : "";
    return target.empty() ? shown : fmt::format(R"(<a href="{}">{}</a>)", escaped(target), shown);
  }
  if (starts(text, "**")) {
    const std::string_view words = between("**");
    return used == 0 ? "" : tag("strong", "", inline_markdown(words, links));
  }
  if (starts(text, "*") && !starts(text, "* ")) {
    const std::string_view words = between("*");
    return used == 0 ? "" : tag("em", "", inline_markdown(words, links));
  }
  if (starts(text, "<br>")) {
    used = 4;
    return "<br>";
  }
  const std::size_t middle = starts(text, "[") ? end_of_brackets(text) : std::string_view::npos;
  const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle);
  if (end == std::string_view::npos) return "";
  used = end + 1;
  return link(text.substr(1, middle - 1), text.substr(middle + 2, end - middle - 2), links);
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line = trimmed(line);
  if (starts(line, "|")) line.remove_prefix(1);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size());
    cells.emplace_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

/// Collects lines until a block of the text is complete.
class converter {
 public:
  converter(const link_target& links, int heading_level)
      : links_(links), heading_level_(heading_level) {}

  void take(std::string_view line) {
    if (in_code_ || starts(line, "```")) return take_code(line);
    if (starts(line, "|")) return add(kind::table, line);
    if (starts(line, "* ") || starts(line, "- ")) return add_item(kind::list, line.substr(2));
    if (const std::size_t number = numbered(line)) {
      return add_item(kind::numbers, line.substr(number));
    }
    if (starts(line, "#")) return heading(line);
    if (trimmed(line).empty()) return close();
    const bool continues = (kind_ == kind::list || kind_ == kind::numbers) && starts(line, " ");
    if (continues) {
      lines_.back() += " " + std::string(trimmed(line));
    } else {
      add(kind::paragraph, line);
    }
  }

  std::string finish() {
    close();
    return std::move(html_);
  }

 private:
  enum class kind { none, paragraph, list, numbers, table };

  /// Letters of "1. " at the front of a line; 0: there is none.
  static std::size_t numbered(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits != 0 && starts(line.substr(digits), ". ") ? digits + 2 : 0;
  }

  void add(kind k, std::string_view line) {
    if (kind_ != k) close();
    kind_ = k;
    lines_.emplace_back(line);
  }

  void add_item(kind k, std::string_view line) { add(k, line); }

  void take_code(std::string_view line) {
    if (!starts(line, "```")) {
      code_ += escaped(line) + "\n";
      return;
    }
    if (!in_code_) close();
    if (in_code_) html_ += scrolling("Code", tag("pre", "", code_)) + "\n";
    in_code_ = !in_code_;
    code_.clear();
  }

  void heading(std::string_view line) {
    close();
    const std::size_t level = line.find_first_not_of('#');
    const std::string name =
        fmt::format("h{}", std::min(6, heading_level_ + static_cast<int>(level) - 1));
    html_ += tag(name, "", inline_markdown(trimmed(line.substr(level)), links_)) + "\n";
  }

  void close() {
    if (kind_ == kind::paragraph) html_ += tag("p", "", words()) + "\n";
    if (kind_ == kind::list) html_ += tag("ul", "", items()) + "\n";
    if (kind_ == kind::numbers) html_ += tag("ol", "", items()) + "\n";
    if (kind_ == kind::table) html_ += table();
    kind_ = kind::none;
    lines_.clear();
  }

  std::string words() const {
    std::string text;
    for (const std::string& line : lines_) text += (text.empty() ? "" : " ") + line;
    return inline_markdown(text, links_);
  }

  std::string items() const {
    std::string text;
    for (const std::string& line : lines_) text += tag("li", "", inline_markdown(line, links_));
    return text;
  }

  std::string row(std::string_view cell, const std::vector<std::string>& cells,
                  const std::vector<std::string>& sides) const {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool number = i < sides.size() && sides[i].ends_with(':');
      const std::string_view name = cell == "td" && i == 0 ? "th" : cell;
      const std::string scope = name == "td"   ? ""
                                : cell == "th" ? R"(scope="col")"
                                               : R"(scope="row")";
      const std::string style = number ? R"(class="number")" : "";
      text += tag(name, scope + (scope.empty() || style.empty() ? "" : " ") + style,
                  inline_markdown(cells[i], links_));
    }
    return tag("tr", "", text) + "\n";
  }

  std::string table() const {
    if (lines_.size() < 2) return "";
    const std::vector<std::string> heads = cells_of(lines_[0]), sides = cells_of(lines_[1]);
    std::string body;
    for (std::size_t i = 2; i < lines_.size(); ++i) body += row("td", cells_of(lines_[i]), sides);
    const std::string all = tag("thead", "", row("th", heads, sides)) + tag("tbody", "", body);
    return scrolling("Table", tag("table", "", all)) + "\n";
  }

  const link_target& links_;
  int heading_level_;
  std::string html_, code_;
  kind kind_ = kind::none;
  std::vector<std::string> lines_;
  bool in_code_ = false;
};

}  // namespace

std::string inline_markdown(std::string_view text, const link_target& links) {
  std::string html;
  while (!text.empty()) {
    std::size_t used = 0;
    const std::string element = element_at(text, links, used);
    html += used == 0 ? escaped(text.substr(0, 1)) : element;
    text.remove_prefix(std::max<std::size_t>(used, 1));
  }
  return html;
}

std::string markdown(std::string_view text, const link_target& links, int heading_level) {
  converter c(links, heading_level);
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) c.take(line);
  return c.finish();
}

}  // namespace onefold::ladder
