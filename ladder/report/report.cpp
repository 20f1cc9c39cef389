// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/report.hpp"

#include "ladder/report/html.hpp"
#include "ladder/report/prose.hpp"
#include "ladder/report/questions.hpp"
#include "ladder/rung/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace onefold::ladder {
namespace {

using pages_of = std::vector<const page*>;

constexpr std::array ladders = {"reduce", "dot", "image", "loop"};
constexpr std::string_view where_is_the_mistake =
    "This kernel is rewritten after a printed one. Where is the mistake?";

std::string_view ladder_of(const rung& r) {
  return r.name.substr(0, r.name.find('/'));
}

pages_of select(const std::vector<page>& pages, std::string_view ladder) {
  pages_of list;
  for (const page& p : pages) {
    if (ladder_of(*p.subject) == ladder) list.push_back(&p);
  }
  return list;
}

/// A picture of the first climb, and where each ladder begins.
std::string chapters(const std::vector<page>& pages) {
  std::string items;
  for (const std::string_view ladder : ladders) {
    const pages_of list = select(pages, ladder);
    if (list.empty()) continue;
    items += tag("li", "",
                 fmt::format(R"(<a href="#{0}">The {0} ladder</a>: {1}. {2} rungs.)", ladder,
                             escaped(chapter_subtitle(ladder)), list.size()));
  }
  if (const pages_of defects = select(pages, "published"); !defects.empty()) {
    items += tag("li", "",
                 fmt::format("<a href=\"#published\">Published defects</a>: {} kernels rewritten "
                             "after printed ones. Find the mistake.",
                             defects.size()));
  }
  const pages_of first = select(pages, ladders.front());
  const std::string climb = first.empty() ? "" : climb_overview(first, ladders.front());
  return tag("div", R"(class="figures")", climb + tag("ul", "", items)) + "\n";
}

story start(const std::vector<page>& pages) {
  constexpr std::string_view asks = "How does a GPU add up a million numbers?";
  std::string body = introduction_prose();
  // The page's question is the first sentence of the document.
  if (const std::size_t at = body.find(asks); at != std::string::npos) {
    body.erase(at, asks.size() + 1);
  }
  body.insert(std::min(body.find("<h3"), body.size()), chapters(pages));
  return {"start", "The ladder", "Start", std::string(asks), body};
}

story rung_story(const page& p, const std::string& chapter) {
  const rung& r = *p.subject;
  const story_question* question = question_of(r.name);
  return {anchor(r.name), std::string(r.name), chapter,
          std::string(question != nullptr ? question->asks : where_is_the_mistake), rung_body(p)};
}

void add_ladder(std::vector<story>& course, std::string_view ladder, const pages_of& list) {
  if (list.empty()) return;
  const std::string chapter = fmt::format("The {} ladder", ladder);
  course.push_back({std::string(ladder), chapter, chapter, chapter_subtitle(ladder),
                    climb_body(list, ladder) + chapter_prose(ladder)});
  for (const page* p : list) course.push_back(rung_story(*p, chapter));
}

/// "[1] Step 4; Step 5; [2] slide 27".
std::string places_printed(const rung& r) {
  std::string text;
  std::string_view last;
  for (const printed_as& printed : r.printed) {
    if (!text.empty()) text += "; ";
    if (printed.document != last) text += reference(printed.document) + " ";
    text += printed.step;
    last = printed.document;
  }
  return text;
}

/// To look for the mistakes first; what they are is behind a word.
std::string defects_tables(const pages_of& list) {
  html_table first(
      "Kernels rewritten after printed ones, each with its mistake. Where the verdict is "
      "right, the idea has no effect. [1] to [5]: the documents that the first page "
      "names.",
      {{"kernel"}, {"rewritten after"}, {"verdict"}});
  html_table mistakes("What is wrong with each", {{"kernel"}, {"mistake"}, {"found at"}});
  for (const page* p : list) {
    const auto& findings = p->outcome.findings;
    first.add({link_to(p->subject->name), escaped(places_printed(*p->subject)),
               escaped(p->subject->compiles() ? p->outcome.verdict() : "does not compile")});
    mistakes.add({link_to(p->subject->name), escaped(p->subject->title),
                  findings.empty() ? "-" : escaped(simt::to_string(findings.front().place))});
  }
  return first.markup() +
         tag("details", R"(class="answer")",
             tag("summary", "", "The mistakes") + mistakes.markup()) +
         "\n";
}

void add_defects(std::vector<story>& course, const pages_of& list) {
  if (list.empty()) return;
  const std::string chapter = "Published defects";
  course.push_back({"published", chapter, chapter, "What happens to a kernel that is only printed?",
                    defects_tables(list)});
  for (const page* p : list) course.push_back(rung_story(*p, chapter));
}

}  // namespace

std::vector<story> stories(const std::vector<page>& pages) {
  std::vector<story> course = {start(pages)};
  for (const std::string_view ladder : ladders) {
    add_ladder(course, ladder, select(pages, ladder));
  }
  add_defects(course, select(pages, "published"));
  for (const subpage& s : subpages()) {
    course.push_back({s.id, s.title, "More to read", "", s.markup});
  }
  return course;
}

}  // namespace onefold::ladder
