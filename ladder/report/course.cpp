// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/html.hpp"
#include "ladder/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace onefold::ladder {
namespace {

std::string file_of(const story& s) {
  return s.id == "start" ? "index.html" : s.id + ".html";
}

std::string contents_item(const story& s, bool current) {
  return tag("li", "",
             fmt::format("<a href=\"#{}\"{}>{}</a>", s.id, current ? R"( aria-current="page")" : "",
                         escaped(s.title)));
}

/// The chapters as lists that open; `current` is null in a file with all stories.
std::string contents(const std::vector<story>& course, const story* current) {
  std::string text = tag("p", R"(class="course")", R"(<a href="#start">The onefold ladder</a>)");
  for (std::size_t i = 0; i < course.size();) {
    const std::string& chapter = course[i].chapter;
    std::string items;
    for (; i < course.size() && course[i].chapter == chapter; ++i) {
      items += contents_item(course[i], &course[i] == current);
    }
    const bool open =
        current == nullptr ? chapter == course[1].chapter : chapter == current->chapter;
    text += tag("details", open ? "open" : "",
                tag("summary", "", escaped(chapter)) + tag("ol", "", items));
  }
  return tag("nav", R"(class="contents" id="contents" aria-label="Contents")", text) + "\n";
}

std::string turn_link(const story& s, std::string_view rel, std::string_view word) {
  const std::string asks = s.asks.empty() ? "" : tag("span", R"(class="asks")", escaped(s.asks));
  return fmt::format(R"(<a rel="{0}" class="{0}" href="#{1}"><span>{2}: {3}</span>{4}</a>)", rel,
                     s.id, word, escaped(s.title), asks);
}

std::string turn(const std::vector<story>& course, std::size_t at) {
  std::string text;
  if (at > 0) text += turn_link(course[at - 1], "prev", "Previous");
  if (at + 1 < course.size()) text += turn_link(course[at + 1], "next", "Next");
  const std::string label =
      fmt::format(R"(class="turn" aria-label="From {}")", escaped(course[at].title));
  return tag("nav", label, text) + "\n";
}

std::string article(const std::vector<story>& course, std::size_t at) {
  const story& s = course[at];
  std::string text =
      tag("p", R"(class="chapter")", escaped(s.chapter)) + tag("h2", "", escaped(s.title)) + "\n";
  if (!s.asks.empty()) text += tag("p", R"(class="question")", escaped(s.asks)) + "\n";
  return tag("article", fmt::format(R"(id="{}")", s.id), text + s.body + turn(course, at)) + "\n";
}

/// On a page of its own a story's headings move up a level: h2 is h1, h3 is h2.
std::string raised(std::string markup) {
  for (const char level : {'2', '3', '4'}) {
    for (const std::string_view before : {"<h", "</h"}) {
      const std::string name = std::string(before) + level;
      for (std::size_t at = markup.find(name); at != std::string::npos;
           at = markup.find(name, at + 1)) {
        --markup[at + before.size()];
      }
    }
  }
  return markup;
}

std::string document(std::string_view title, const std::string& contents_text,
                     const std::string& stories_text) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{}</style>\n</head>\n"
      "<body>\n<a class=\"skip\" href=\"#main\">To the text</a>\n"
      "<p class=\"bar\"><a href=\"#contents\">Contents</a></p>\n{}"
      "<main id=\"main\">\n{}</main>\n<script>{}</script>\n</body>\n</html>\n",
      escaped(title), report_style(), contents_text, stories_text, report_script());
}

/// The anchors that a page defines.
std::set<std::string, std::less<>> anchors_in(std::string_view markup) {
  constexpr std::string_view mark = " id=\"";
  std::set<std::string, std::less<>> ids;
  for (std::size_t at = markup.find(mark); at != std::string_view::npos;
       at = markup.find(mark, at)) {
    at += mark.size();
    ids.emplace(markup.substr(at, markup.find('"', at) - at));
  }
  return ids;
}

/// Links to other stories lead to their files; those to what is not shown become plain words.
std::string relinked(std::string_view markup, const std::vector<story>& course) {
  constexpr std::string_view mark = " href=\"#";
  const auto here = anchors_in(markup);
  std::string text;
  while (true) {
    const std::size_t at = markup.find(mark);
    if (at == std::string_view::npos) return text + std::string(markup);
    const std::size_t begin = at + mark.size(), end = markup.find('"', begin);
    const std::string_view id = markup.substr(begin, end - begin);
    text += markup.substr(0, at);
    if (here.contains(id)) {
      text += markup.substr(at, end + 1 - at);
    } else if (const auto to = std::ranges::find(course, id, &story::id); to != course.end()) {
      text += fmt::format(" href=\"{}\"", file_of(*to));
    }
    markup.remove_prefix(end + 1);
  }
}

}  // namespace

std::string course_file(const std::vector<story>& course) {
  std::string text = tag("h1", "", "The onefold ladder") + "\n";
  for (std::size_t i = 0; i < course.size(); ++i) text += article(course, i);
  return relinked(document("The onefold ladder", contents(course, nullptr), text), course);
}

std::vector<std::pair<std::string, std::string>> course_folder(const std::vector<story>& course) {
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t i = 0; i < course.size(); ++i) {
    const std::string title = fmt::format("{} - The onefold ladder", course[i].title);
    files.emplace_back(file_of(course[i]), relinked(document(title, contents(course, &course[i]),
                                                             raised(article(course, i))),
                                                    course));
  }
  return files;
}

}  // namespace onefold::ladder
