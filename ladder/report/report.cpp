// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/report.hpp"

#include "ladder/page/climb_times.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace onefold::ladder {
namespace {

using pages_of = std::vector<const page*>;

constexpr std::array ladders = {"reduce", "dot", "image", "loop"};

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

std::string contents_of(std::string_view title, const pages_of& list) {
  std::string items;
  for (const page* p : list) items += tag("li", "", link_to(p->subject->name));
  return items.empty() ? "" : fmt::format("<p>{}</p>{}\n", title, tag("ul", "", items));
}

std::string contents(const std::vector<page>& pages) {
  std::string text = tag("h2", "", "Contents") + R"(<p><a href="#climb">The climb</a></p>)";
  for (const std::string_view ladder : ladders) {
    text += contents_of(fmt::format("The {} ladder", ladder), select(pages, ladder));
  }
  text += contents_of("Published defects", select(pages, "published"));
  return tag("nav", R"(aria-label="Contents")", text) + "\n";
}

std::array<std::uint64_t, 5> climb_counts(const simt::counts& c) {
  return {c.divergent_branches, c.shared_wavefronts(), c.shared_conflicts(), c.global_sectors(),
          c.barriers};
}

std::vector<std::string> climb_row(const page& p) {
  const bool counted = p.subject->under_executor();
  std::vector<std::string> cells = {link_to(p.subject->name), escaped(p.subject->title)};
  for (const std::uint64_t count : climb_counts(p.mine.counts)) {
    cells.push_back(counted ? grouped(count) : "-");
  }
  const auto n = largest_recorded(*p.subject);
  const auto time = n ? recorded_climb(*p.subject, *n) : std::nullopt;
  cells.push_back(time ? fmt::format("{:.1f}", time->median_us) : "-");
  cells.push_back(time ? fmt::format("{:.0f}%", 100 * time->share_of_ceiling) : "-");
  cells.push_back(counted ? escaped(p.mine.verdict()) : "on a GPU alone");
  return cells;
}

std::string climb_table(std::string_view ladder, const pages_of& list) {
  html_table table(fmt::format("The {} ladder. Times: {}, the greatest recorded n; share of plain "
                               "16-byte reads of as many bytes.",
                               ladder, times_source()),
                   {{"rung"},
                    {"what it is"},
                    {"divergent branches", true},
                    {"shared wavefronts", true},
                    {"conflicts", true},
                    {"global sectors", true},
                    {"warps at barriers", true},
                    {"GPU us", true},
                    {"share", true},
                    {"verdict"}});
  for (const page* p : list) table.add(climb_row(*p));
  return table.markup();
}

std::string climb(const std::vector<page>& pages) {
  std::string text = tag("h2", R"(id="climb")", "The climb");
  for (const std::string_view ladder : ladders) {
    const pages_of list = select(pages, ladder);
    if (!list.empty()) text += climb_table(ladder, list) + climb_figure(ladder, list);
  }
  return text;
}

std::string twins_table(const pages_of& list) {
  html_table table("Kernels kept as they were printed, with the defect that each shows",
                   {{"twin"}, {"what it is"}, {"verdict"}, {"found at"}});
  for (const page* p : list) {
    const auto& findings = p->mine.findings;
    table.add({link_to(p->subject->name), escaped(p->subject->title),
               escaped(p->subject->compiles() ? p->mine.verdict() : "does not compile"),
               findings.empty() ? "-" : escaped(simt::to_string(findings.front().place))});
  }
  return table.markup();
}

std::string sections(const std::vector<page>& pages) {
  std::set<std::string_view> shown;
  for (const page& p : pages) shown.insert(p.subject->name);
  std::string text;
  for (const std::string_view ladder : ladders) {
    const pages_of list = select(pages, ladder);
    if (list.empty()) continue;
    text += tag("h2", "", fmt::format("The {} ladder, rung by rung", ladder)) + "\n";
    for (const page* p : list) text += rung_section(*p, shown);
  }
  const pages_of twins = select(pages, "published");
  if (twins.empty()) return text;
  text += tag("h2", R"(id="published")", "Published defects, each reproduced") + "\n" +
          twins_table(twins);
  for (const page* p : twins) text += rung_section(*p, shown);
  return text;
}

std::string introduction() {
  return tag("h1", "", "The onefold ladder") +
         tag("p", "",
             "The textbook reductions of a GPU, one idea a rung. Every kernel here was run on a "
             "CPU by an executor that sees each access of each lane: the counts and pictures "
             "are read off that run, and its answer is checked exactly. Counters and times of a "
             "GPU stand beside them where they were recorded.") +
         "\n";
}

}  // namespace

std::string report_html(const std::vector<page>& pages) {
  const std::string body =
      tag("main", "", introduction() + contents(pages) + climb(pages) + sections(pages));
  return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<title>The onefold ladder</title>\n<link rel=\"icon\" href=\"data:,\">\n"
                     "<style>{}</style>\n</head>\n<body>\n{}\n</body>\n</html>\n",
                     report_style(), body);
}

}  // namespace onefold::ladder
