// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/climb_times.hpp"
#include "ladder/page/kernel_text.hpp"
#include "ladder/page/text.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/prose.hpp"
#include "ladder/report/report.hpp"
#include "ladder/report/report_lines.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace onefold::ladder {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";

std::string paragraph(std::string_view style, std::string_view content) {
  return tag("p", style.empty() ? "" : fmt::format(R"(class="{}")", style), content) + "\n";
}

std::string part(std::string_view title, const std::string& content) {
  return content.empty() ? "" : tag("h3", "", title) + "\n" + content;
}

std::string facts(const page& p) {
  const rung& r = *p.subject;
  std::string items;
  if (r.under_executor()) items += tag("li", "", escaped(launch_line(p.outcome.options)));
  if (!r.previous.empty()) items += tag("li", "", "after " + link_to(r.previous));
  for (const printed_as& printed : r.printed) {
    items += tag(
        "li", "",
        escaped(fmt::format("printed as \"{}\" in {}", printed.step, citation(printed.document))));
  }
  return tag("ul", R"(class="quiet")", items) + "\n";
}

std::string idea(const page& p) {
  const rung& r = *p.subject;
  std::string first = fmt::format("{}: {}.", r.title, r.idea);
  // The name of a function or of a rung keeps its letters.
  const std::string_view word = std::string_view(first).substr(0, first.find(' '));
  if (word.find_first_of(":/") == std::string_view::npos) {
    first[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(first[0])));
  }
  return paragraph("idea", escaped(first)) + prose_of(r.name).markup + facts(p);
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
               paragraph("", "Verdict: <strong>does not compile</strong>. The compilers say: " +
                                 tag("code", "", escaped(compiler_words(r))))) +
           "\n";
  }
  std::string text =
      paragraph("", fmt::format("Verdict: <strong>{}</strong>.", escaped(p.outcome.verdict())));
  if (!p.outcome.right) {
    text += paragraph(
        "", escaped(fmt::format(
                "The answer is {}, not {}; {} elements are read more than once, {} never.",
                p.outcome.answer, p.outcome.expected, p.outcome.reads.repeatedly,
                p.outcome.reads.never)));
  }
  std::string items;
  for (const simt::finding& f : p.outcome.findings) items += finding_item(p, f);
  if (!items.empty()) text += tag("ul", "", items);
  return tag("div", R"(class="defect")", text) + "\n";
}

/// Whether a fifth of the lines that are shown is in both kernels: of others, nothing is learnt by
/// reading what went and what came.
bool keeps_some(const page& p) {
  std::istringstream lines(p.diff);
  std::size_t kept = 0, all = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('@') || line.find_first_of(letters) == std::string::npos) continue;
    ++all;
    kept += line.front() == ' ';
  }
  return 5 * kept >= all;
}

std::string difference(const page& p) {
  if (p.diff.empty()) return "";
  std::istringstream lines(p.diff);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const char first = line.empty() ? ' ' : line.front();
    if (first == '@') {
      if (!text.empty()) text += tag("span", R"(class="left-out")", "…");
      continue;
    }
    const std::string_view style = first == '+'   ? R"(class="new")"
                                   : first == '-' ? R"(class="gone")"
                                                  : "";
    text += tag("span", style, escaped(line));
  }
  const std::string label = fmt::format("What changes from {}", p.subject->previous);
  return tag("details", keeps_some(p) ? "open" : "",
             tag("summary", "", escaped(label)) +
                 scrolling(label, tag("pre", R"(class="diff")", text))) +
         "\n";
}

/// Comments above a defect tell what it is; its page shows the kernel first.
bool is_heading(std::string_view line) {
  return line.empty() || line.starts_with("//") || line.starts_with("#") ||
         line.starts_with("namespace");
}

std::string kernel(const page& p) {
  const rung& r = *p.subject;
  std::set<unsigned> marked;
  for (const simt::finding& f : p.outcome.findings) {
    if (f.place.file == r.file) marked.insert(f.place.line);
  }
  std::istringstream lines{std::string(kernel_text(r.file))};
  std::string text;
  unsigned number = 0, skipped = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (r.published && text.empty() && is_heading(line)) {
      skipped = number;
      continue;
    }
    text += tag("span",
                fmt::format(R"(id="{}-L{}"{})", anchor(r.name), number,
                            marked.contains(number) ? R"( class="at")" : ""),
                escaped(line));
  }
  if (text.empty()) return "";
  return tag("details", "open",
             tag("summary", "", escaped(r.file)) +
                 scrolling(r.file,
                           tag("pre", fmt::format(R"(class="kernel" style="--first: {}")", skipped),
                               text))) +
         "\n";
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

std::string time_row(const time_line& t) {
  return fmt::format("{:.2f} µs{}", t.median_us,
                     t.share ? fmt::format(", {:.0f}% of plain reads", 100 * *t.share) : "");
}

/// The time at the length that the whole course compares; the others behind a word.
std::string times(const page& p) {
  if (p.times.empty()) return "";
  html_table table("Time on " + times_source(),
                   {{"n"}, {"µs", true}, {"share of plain reads", true}});
  std::string first;
  for (const time_line& t : p.times) {
    if (t.n == course_length) first = time_row(t);
    table.add({grouped(t.n), fmt::format("{:.2f}", t.median_us),
               t.share ? fmt::format("{:.0f}%", 100 * *t.share) : "-"});
  }
  const std::string others =
      tag("details", "", tag("summary", "", "At other lengths") + table.markup());
  if (first.empty()) return others;
  return paragraph("time", escaped(fmt::format("Time for {} {} on {}: {}.", grouped(course_length),
                                               items_of(*p.subject), recorded().machine, first))) +
         others;
}

std::string example(std::string_view title, const std::string& figure_text, bool open) {
  if (figure_text.empty()) return "";
  return tag("details", open ? R"(class="example" open)" : R"(class="example")",
             tag("summary", "", title) + figure_text) +
         "\n";
}

/// The two examples that the documents work out by hand, a click away from each other.
std::string examples(const page& p) {
  if (p.tree.in_registers) {
    return paragraph("quiet",
                     "Which elements fold when is not drawn: lanes hand each other registers "
                     "(shuffles), which no access to memory shows.");
  }
  if (p.subject->published) {
    return example("The launch that shows the defect", tree_figure(p), true);
  }
  const std::string both = example(fmt::format("Worked example: warps of {}, a block of {}",
                                               p.tree.options.warp, p.tree.options.block),
                                   tree_figure(p), true) +
                           example("Worked example: eight elements", eight_figure(p), false);
  return both.empty() ? "" : tag("div", "", both);
}

std::string pictures(const page& p) {
  const std::string figures = map_figure(p) + launches_figure(p) + last_warp_figure(p) +
                              change_figure(p) + lanes_figure(p) + banks_figure(p) +
                              sectors_figure(p) + scatter_figure(p);
  return tag("div", R"(class="figures")", examples(p) + figures) + "\n";
}

std::string not_run(const page& p) {
  if (p.subject->gpu_only.empty()) return "";
  return paragraph("", escaped(fmt::format("Not run by the executor: {}.", p.subject->gpu_only)));
}

}  // namespace

std::string rung_body(const page& p) {
  std::string text;
  if (p.subject->published) {
    const std::string answer = tag("summary", "", "The mistake") + idea(p) + defect(p);
    text = part("Code",
                kernel(p) + tag("details", R"(class="answer")", answer + difference(p)) + "\n");
  } else {
    text = part("Idea", idea(p)) + not_run(p) + part("Code", difference(p) + kernel(p));
  }
  if (!p.subject->under_executor()) return text + part("Counts", times(p)) + exercise_body(p);
  return text + part("Pictures", pictures(p)) +
         part("Counts", counters(p) + times(p) + lines_section(p)) +
         part("Verdicts", verdict_body(p)) + exercise_body(p);
}

}  // namespace onefold::ladder
