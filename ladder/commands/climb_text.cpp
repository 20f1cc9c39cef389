// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb.hpp"
#include "ladder/page/text.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::string defect_cell(const trial& t, simt::defect kind) {
  const std::uint64_t places = t.places(kind);
  return places == 0 ? "none" : fmt::format("{}", places);
}

std::vector<std::string> row_of(const climb_result& result) {
  const trial& t = result.outcome;
  const simt::counts& c = t.counts;
  return {std::string(result.step->name),
          t.right ? "right" : "wrong",
          fmt::format("{}", c.divergent_branches),
          fmt::format("{} / {}", c.shared_load.wavefronts, c.shared_store.wavefronts),
          fmt::format("{} / {}", c.shared_load.conflicts, c.shared_store.conflicts),
          fmt::format("{}-way", c.worst_ways()),
          fmt::format("{} / {}", c.global_load.sectors, c.global_store.sectors),
          fmt::format("{}", c.barriers),
          defect_cell(t, simt::defect::race),
          defect_cell(t, simt::defect::bounds),
          defect_cell(t, simt::defect::uninitialised),
          t.verdict()};
}

std::string explanation(const climb_result& result) {
  const trial& t = result.outcome;
  std::string text;
  if (!t.right) {
    text += fmt::format("{}: the answer is {}, not {}; {} elements read more than once, {} never\n",
                        result.step->name, t.answer, t.expected, t.reads.repeatedly, t.reads.never);
  }
  for (const simt::finding& f : t.findings) {
    text += fmt::format("{}: {}\n", result.step->name, f.text());
  }
  if (!result.claims_hold) {
    text += fmt::format("{}: a claim about this rung is broken: see onefold-ladder explain {}\n",
                        result.step->name, result.step->name);
  }
  return text;
}

/// Each launch line once: rungs of one kind of work share theirs.
std::string launch_lines(const std::vector<climb_result>& results) {
  std::string text, last;
  for (const climb_result& result : results) {
    std::string line = launch_line(result.outcome.options) + "\n";
    if (line != last) text += line;
    last = std::move(line);
  }
  return text;
}

}  // namespace

std::string list_text() {
  text_table table({{"rung", align::left}, {"what it is", align::left}, {"idea", align::left}});
  for (const rung& r : all_rungs()) {
    table.add({std::string(r.name), std::string(r.title), std::string(r.idea)});
  }
  return table.text();
}

std::string climb_text(const std::vector<climb_result>& results) {
  text_table table({{"rung", align::left},
                    {"answer", align::left},
                    {"divergent", align::right},
                    {"wavefronts ld/st", align::right},
                    {"conflicts ld/st", align::right},
                    {"worst", align::right},
                    {"sectors ld/st", align::right},
                    {"barriers", align::right},
                    {"races", align::right},
                    {"bounds", align::right},
                    {"uninit", align::right},
                    {"verdict", align::left}});
  for (const climb_result& result : results) table.add(row_of(result));
  std::string text = launch_lines(results) + "\n" + table.text();
  std::string details;
  for (const climb_result& result : results) details += explanation(result);
  return details.empty() ? text : text + "\n" + details;
}

}  // namespace onefold::ladder
