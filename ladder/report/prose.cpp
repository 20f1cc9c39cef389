// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/prose.hpp"

#include "ladder/report/documents.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/markdown.hpp"
#include "ladder/rung/rung.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace onefold::ladder {
namespace {

constexpr std::string_view begin_mark = "<!-- begin ", end_mark = "<!-- end ";
constexpr int inner_heading = 3;

/// A heading of docs/ladder.md and what follows it, up to the next heading.
struct section {
  int level = 0;  ///< 2: a chapter, 3: a rung
  std::string heading, body;
};

std::vector<section> sections_of(std::string_view text) {
  std::vector<section> list(1);
  std::istringstream lines{std::string(text)};
  bool in_code = false;
  for (std::string line; std::getline(lines, line);) {
    in_code ^= line.starts_with("```");
    const std::size_t level = line.find_first_not_of('#');
    if (!in_code && level != 0 && level != std::string::npos && line[level] == ' ') {
      list.push_back({static_cast<int>(level), line.substr(level + 1), ""});
    } else {
      list.back().body += line + "\n";
    }
  }
  return list;
}

const std::vector<section>& course_sections() {
  static const std::vector<section> list = sections_of(documents().front().text);
  return list;
}

std::string stem_of(std::string_view address) {
  address = address.substr(0, address.find('#'));
  address.remove_prefix(address.rfind('/') == std::string_view::npos ? 0 : address.rfind('/') + 1);
  return std::string(address.substr(0, address.rfind('.')));
}

/// Where a link of the documents leads in the report.
std::string target_of(std::string_view address) {
  if (address.starts_with("http")) return std::string(address);
  while (address.starts_with("../")) address.remove_prefix(3);
  for (const rung& r : all_rungs()) {
    if (address == r.file || address == r.name) return "#" + anchor(r.name);
  }
  const std::string stem = stem_of(address);
  if (stem == "ladder") return "#start";
  for (const document& d : documents().subspan(1)) {
    if (address.find(".md") != std::string_view::npos && stem == stem_of(d.name)) return "#" + stem;
  }
  return "";
}

/// A block that tools/ladder_docs writes, between its two marks.
struct written_block {
  std::string kind;  ///< "ladder-page"
  std::string arguments, body;
};

/// What the program itself prints: the command to open, the text inside. Tables that the prose is
/// about are open.
std::string printed(const written_block& block) {
  const std::size_t fence = block.body.find("```");
  const std::string command = block.body.substr(0, fence);
  const bool open =
      block.arguments.starts_with("errors") || block.arguments.starts_with("the article's");
  return tag("details", open ? "open" : "",
             tag("summary", "", inline_markdown(command, target_of)) +
                 markdown(block.body.substr(std::min(fence, block.body.size())), target_of,
                          inner_heading)) +
         "\n";
}

/// The report draws and counts each rung itself.
bool is_shown_elsewhere(const written_block& block) {
  return block.kind == "ladder-rung" || block.kind == "ladder-climb";
}

std::string markup_of(std::string_view text) {
  std::string html, plain;
  written_block block;
  bool inside = false;
  const auto flush = [&] {
    html += markdown(plain, target_of, inner_heading);
    plain.clear();
  };
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin_mark)) {
      flush();
      const std::string words =
          line.substr(begin_mark.size(), line.rfind(" -->") - begin_mark.size());
      const std::size_t space = std::min(words.find(' '), words.size());
      block = {words.substr(0, space), words.substr(std::min(space + 1, words.size())), ""};
      std::erase(block.arguments, '"');
      inside = true;
    } else if (line.starts_with(end_mark)) {
      inside = false;
      if (is_shown_elsewhere(block)) continue;
      html += block.kind == "ladder-page" ? printed(block)
                                          : markdown(block.body, target_of, inner_heading);
    } else {
      (inside ? block.body : plain) += line + "\n";
    }
  }
  flush();
  return html;
}

bool is_chapter(const section& s, std::string_view ladder) {
  return s.level == 2 && s.heading.starts_with(fmt::format("{}:", ladder));
}

bool is_any_chapter(const section& s) {
  constexpr std::array ladders = {"reduce", "dot", "image", "loop"};
  return std::ranges::any_of(ladders, [&s](const char* l) { return is_chapter(s, l); });
}

}  // namespace

rung_prose prose_of(std::string_view rung) {
  const std::string name = fmt::format("`{}`", rung);
  for (const section& s : course_sections()) {
    if (s.level != 3 || s.heading.find(name) == std::string::npos) continue;
    const std::string errors = fmt::format("begin ladder-page errors {} ", rung);
    return {markup_of(s.body), s.body.find(errors) != std::string::npos};
  }
  return {};
}

std::string chapter_subtitle(std::string_view ladder) {
  for (const section& s : course_sections()) {
    if (is_chapter(s, ladder)) return s.heading.substr(ladder.size() + 2);
  }
  return "";
}

std::string chapter_prose(std::string_view ladder) {
  for (const section& s : course_sections()) {
    if (is_chapter(s, ladder)) return markup_of(s.body);
  }
  return "";
}

std::string introduction_prose() {
  std::string text;
  for (const section& s : course_sections()) {
    if (is_any_chapter(s)) break;
    const bool titled = s.level >= 2;
    if (titled) text += tag("h3", "", inline_markdown(s.heading, target_of)) + "\n";
    text += markup_of(s.body);
  }
  return text;
}

std::vector<subpage> subpages() {
  std::vector<subpage> list;
  for (const document& d : documents().subspan(1)) {
    const std::size_t title = d.text.find("# ") + 2, end = d.text.find('\n');
    list.push_back({stem_of(d.name), std::string(d.text.substr(title, end - title)),
                    markup_of(d.text.substr(end))});
  }
  return list;
}

}  // namespace onefold::ladder
