// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/page/kernel_text.hpp"
#include "ladder/report/report.hpp"
#include "ladder/page/text.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace onefold::ladder {
namespace {

std::string paragraph(std::string_view style, std::string_view content) {
  return tag("p", style.empty() ? "" : fmt::format(R"(class="{}")", style), content) + "\n";
}

std::string head(const page& p, const std::set<std::string_view>& shown) {
  const rung& r = *p.subject;
  std::string text = tag("h3", "", escaped(fmt::format("{}: {}", r.name, r.title))) + "\n" +
                     paragraph("idea", escaped(r.idea));
  std::string facts;
  if (r.under_executor()) facts += tag("li", "", escaped(launch_line(p.mine.options)));
  if (!r.previous.empty()) {
    facts +=
        tag("li", "",
            "after " + (shown.contains(r.previous) ? link_to(r.previous) : escaped(r.previous)));
  }
  for (const printed_as& printed : r.printed) {
    facts += tag(
        "li", "",
        escaped(fmt::format("printed as \"{}\" in {}", printed.step, citation(printed.document))));
  }
  return text + tag("ul", R"(class="quiet")", facts) + "\n";
}

std::string finding_item(const page& p, const simt::finding& f) {
  const bool here = f.place.file == p.subject->file;
  const std::string place = escaped(simt::to_string(f.place));
  std::string text = escaped(f.text());
  if (const std::size_t at = text.find(place); here && at != std::string::npos) {
    text.replace(
        at, place.size(),
        fmt::format(R"(<a href="#{}-L{}">{}</a>)", anchor(p.subject->name), f.place.line, place));
  }
  return tag("li", "", text);
}

/// What is wrong with a twin, before anything else of it.
std::string defect(const page& p) {
  const rung& r = *p.subject;
  if (!r.published) return "";
  if (!r.compiles()) {
    return tag("div", R"(class="defect")",
               paragraph("", "Verdict: <strong>does not compile</strong>. The compiler says: " +
                                 tag("code", "", escaped(r.compiler_says)))) +
           "\n";
  }
  std::string text =
      paragraph("", fmt::format("Verdict: <strong>{}</strong>.", escaped(p.mine.verdict())));
  if (!p.mine.right) {
    text += paragraph(
        "", escaped(fmt::format(
                "The answer is {}, not {}; {} elements are read more than once, {} never.",
                p.mine.answer, p.mine.expected, p.mine.reads.repeatedly, p.mine.reads.never)));
  }
  std::string items;
  for (const simt::finding& f : p.mine.findings) items += finding_item(p, f);
  if (!items.empty()) text += tag("ul", "", items);
  return tag("div", R"(class="defect")", text) + "\n";
}

std::string difference(const page& p) {
  if (p.diff.empty()) return "";
  std::istringstream lines(p.diff);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const char first = line.empty() ? ' ' : line.front();
    const std::string_view style = first == '+'   ? R"(class="new")"
                                   : first == '-' ? R"(class="gone")"
                                                  : "";
    text += tag("span", style, escaped(line));
  }
  const std::string label = fmt::format("What changes from {}", p.subject->previous);
  return tag("details", "open",
             tag("summary", "", escaped(label)) +
                 scrolling(label, tag("pre", R"(class="diff")", text))) +
         "\n";
}

std::string kernel(const page& p) {
  const rung& r = *p.subject;
  std::set<unsigned> marked;
  for (const simt::finding& f : p.mine.findings) {
    if (f.place.file == r.file) marked.insert(f.place.line);
  }
  std::istringstream lines{std::string(kernel_text(r.file))};
  std::string text;
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    text += tag("span",
                fmt::format(R"(id="{}-L{}"{})", anchor(r.name), number,
                            marked.contains(number) ? R"( class="at")" : ""),
                escaped(line));
  }
  if (text.empty()) return "";
  return tag("details", "open",
             tag("summary", "", escaped(r.file)) +
                 scrolling(r.file, tag("pre", R"(class="kernel")", text))) +
         "\n";
}

std::string claims(const page& p) {
  if (p.claims.empty()) return "";
  const bool measured =
      std::ranges::any_of(p.claims, [](const claim_line& c) { return !c.measured.empty(); });
  std::vector<html_table::column> columns = {{"claim"}, {"so?"}, {"counted by the executor"}};
  if (measured) columns.push_back({"measured on " + recorded().machine});
  html_table table("Claims about it, each held against the counts", columns);
  for (const claim_line& c : p.claims) {
    std::vector<std::string> cells = {escaped(c.says), tag("strong", "", to_string(c.state)),
                                      escaped(c.counted)};
    if (measured) cells.push_back(c.measured.empty() ? "-" : escaped(c.measured));
    table.add(std::move(cells));
  }
  return tag("div", R"(class="claims")", table.markup()) + "\n";
}

std::string counters(const page& p) {
  const bool any = std::ranges::any_of(p.counters, [](const auto& c) { return !!c.hardware; });
  std::vector<html_table::column> columns = {{"counter"}, {"executor", true}};
  if (any) columns.push_back({recorded().machine, true});
  html_table table(
      any ? fmt::format("Counters of the whole grid; {}: {}", recorded().machine, recorded().source)
          : "Counters of the whole grid; nobody has recorded a GPU's for this launch",
      columns);
  for (const counter_line& c : p.counters) {
    std::vector<std::string> cells = {escaped(c.name), grouped(c.executor)};
    if (any) cells.push_back(c.hardware ? grouped(*c.hardware) : "-");
    table.add(std::move(cells));
  }
  return table.markup();
}

std::string times(const page& p) {
  if (p.times.empty()) return "";
  html_table table("Time on " + times_source(),
                   {{"n"}, {"us", true}, {"share of plain reads", true}});
  for (const time_line& t : p.times) {
    table.add({grouped(t.n), fmt::format("{:.2f}", t.median_us),
               t.share ? fmt::format("{:.0f}%", 100 * *t.share) : "-"});
  }
  return table.markup();
}

std::string appendix(const page& p) {
  if (p.appendix.empty()) return "";
  const std::string label = fmt::format("More about {}", p.subject->name);
  return scrolling(label, tag("pre", "", escaped(p.appendix))) + "\n";
}

std::string tree(const page& p) {
  if (!p.tree.in_registers) return tree_figure(p);
  return paragraph("quiet",
                   "Which elements fold when is not drawn: lanes hand each other registers "
                   "(shuffles), which no access to memory shows.");
}

std::string check_items(std::string_view title, const std::vector<check_line>& lines) {
  std::string text;
  for (const check_line& c : lines) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", c.at, c.verdict);
  }
  return text.empty() ? "" : paragraph("", escaped(fmt::format("{}: {}.", title, text)));
}

std::string checks(const page& p) {
  return check_items(fmt::format("Under each schedule of the lanes, n {}", p.schedules_n),
                     p.schedules) +
         check_items("At each length", p.lengths);
}

std::string not_run(const page& p) {
  if (p.subject->gpu_only.empty()) return "";
  return paragraph("", escaped(fmt::format("Not run by the executor: {}.", p.subject->gpu_only))) +
         times(p);
}

}  // namespace

std::string rung_section(const page& p, const std::set<std::string_view>& shown) {
  std::string content = head(p, shown) + defect(p) + not_run(p) + difference(p) + kernel(p);
  if (p.subject->under_executor()) {
    content += claims(p) + tree(p) + lanes_figure(p) + banks_figure(p) + sectors_figure(p) +
               scatter_figure(p) + counters(p) + times(p) + checks(p) + appendix(p);
  }
  return tag("section", fmt::format(R"(id="{}")", anchor(p.subject->name)), content) + "\n";
}

}  // namespace onefold::ladder
