// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/page_text.hpp"

#include "ladder/page/counters.hpp"
#include "ladder/page/lines.hpp"
#include "ladder/page/strips.hpp"
#include "ladder/page/text.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/machine_code.hpp"
#include "ladder/rung/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace onefold::ladder {
namespace {

constexpr std::size_t most_steps_shown = 24;

std::string head(const page& p) {
  const rung& r = *p.subject;
  std::string text = fmt::format("{}: {}\n", r.name, r.title);
  if (r.under_executor()) text += launch_line(p.outcome.options) + "\n";
  text += fmt::format("\nidea     {}\n", r.idea);
  if (!r.previous.empty()) text += fmt::format("after    {}\n", r.previous);
  for (const code_change& change : r.changes) {
    text += fmt::format("change   {}\n      -> {}\n", change.before, change.after);
  }
  for (const printed_as& printed : r.printed) {
    text += fmt::format("printed  as \"{}\" in {}\n", printed.step, citation(printed.document));
  }
  return text;
}

/// Of a twin without a kernel to run.
std::string compilers(const page& p) {
  return fmt::format("\nverdict  does not compile: the compilers say: {}; read {}\n",
                     compiler_words(*p.subject), p.subject->file);
}

/// Of a rung that the executor does not run: it has no counts.
std::string not_run(const page& p) {
  return fmt::format("\nnot run  by the executor: {}; read {}\n", p.subject->gpu_only,
                     p.subject->file);
}

std::string indented(const std::string& lines) {
  std::istringstream all(lines);
  std::string text;
  for (std::string line; std::getline(all, line);) {
    text += line.empty() ? "\n" : fmt::format("  {}\n", line);
  }
  return text;
}

std::string diff(const page& p) {
  if (p.diff.empty()) return "";
  return fmt::format("\ncode, from {} to {}\n{}", p.subject->previous, p.subject->name,
                     indented(p.diff));
}

std::string claims(const page& p) {
  text_table table({{"claim", align::left},
                    {"so?", align::left},
                    {"counted", align::left},
                    {std::string(recorded().machine), align::left}});
  for (const claim_line& c : p.claims) {
    table.add({c.says, to_string(c.state), c.counted, c.measured.empty() ? "-" : c.measured});
  }
  return fmt::format("\n{}", table.text());
}

std::string counters(const page& p) {
  text_table table({{"counter, whole grid", align::left},
                    {"executor", align::right},
                    {std::string(recorded().machine), align::right}});
  bool any = false;
  for (const counter_line& c : p.counters) {
    any |= c.hardware.has_value();
    table.add({std::string(c.name), fmt::format("{}", c.executor),
               c.hardware ? fmt::format("{}", *c.hardware) : "-"});
  }
  for (const issue_line& line : issue_lines(p.outcome.blocks, p.recorded)) {
    table.add({std::string(line.name), line.executor, line.hardware});
  }
  return fmt::format("\n{}{}: {}\n", table.text(), recorded().machine,
                     any ? recorded().source : "not recorded for this rung and launch");
}

std::string or_dash(const std::optional<std::uint64_t>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

/// A row for each kind of access; what belongs to the line is in the first.
void add_line(text_table& table, const page& p, const source_line& line) {
  std::vector<std::string> head = {line_name(*p.subject, line.place),
                                   line.instructions == 0 ? "-"
                                                          : fmt::format("{}", line.instructions)};
  std::string code = line.code;
  const auto add = [&](std::vector<std::string> cells) {
    cells.insert(cells.begin(), head.begin(), head.end());
    cells.push_back(code);
    table.add(std::move(cells));
    head = {"", ""};
    code = "";
  };
  const std::vector<access_row> rows = access_rows(line.counts);
  for (const access_row& row : rows) {
    add({std::string(row.access), fmt::format("{}", row.requests), or_dash(row.wavefronts),
         or_dash(row.conflicts), or_dash(row.sectors)});
  }
  if (rows.empty()) add({"-", "-", "-", "-", "-"});
}

std::string lines(const page& p) {
  if (p.lines.empty()) return "";
  text_table table({{"line", align::right},
                    {"instructions", align::right},
                    {"access", align::left},
                    {"requests", align::right},
                    {"wavefronts", align::right},
                    {"conflicts", align::right},
                    {"sectors", align::right},
                    {"code", align::left}});
  for (const source_line& line : p.lines) add_line(table, p, line);
  return fmt::format(
      "\nby line of {}, whole grid; instructions: those that {} made of the line\n{}",
      p.subject->file, machine_code_source(), table.text());
}

std::string excerpts(const page& p) {
  std::string text;
  for (const code_excerpt& e : p.excerpts) {
    text += fmt::format("\nmachine code of line {}, {}: {}\n  {}\n", line_name(*p.subject, e.place),
                        to_string(e.type), e.explains, e.code);
    for (const std::string& instruction : e.instructions) {
      text += fmt::format("    {}\n", instruction);
    }
    if (e.left_out != 0) text += fmt::format("    ... and {} more\n", e.left_out);
  }
  return text;
}

/// A short length, where a launch is dear, and the longest, where memory is.
std::string times(const page& p) {
  if (p.times.empty()) return "";
  std::string text = fmt::format("\ntime on {}\n", times_source());
  for (const time_line* t : {&p.times.front(), &p.times.back()}) {
    text += fmt::format(
        "  n {}: {:.2f} us{}\n", t->n, t->median_us,
        t->share ? fmt::format(", {:.0f}% of the throughput of plain reading", 100 * *t->share)
                 : "");
    if (p.times.size() == 1) break;
  }
  return text;
}

std::string lanes_over_steps(const page& p) {
  const std::vector<lane_step>& steps = p.drawing.steps;
  if (steps.empty()) return "";
  const auto threads = static_cast<unsigned>(steps.front().working.size());
  const unsigned warp = p.outcome.options.warp;
  const unsigned lanes_a_character = std::min(warp, std::max(1u, threads / 64));
  text_table table({{"step", align::right},
                    {"s", align::right},
                    {fmt::format("lanes that store; one character = {} lane{}, | = warp",
                                 lanes_a_character, lanes_a_character == 1 ? "" : "s"),
                     align::left},
                    {"shared load wavefronts (ideal)", align::right},
                    {"worst", align::right}});
  for (std::size_t i = 0; i < std::min(steps.size(), most_steps_shown); ++i) {
    const lane_step& step = steps[i];
    table.add({step.name, step.distance ? fmt::format("{}", *step.distance) : "",
               lane_strip(step.working, warp, lanes_a_character),
               step.wavefronts == 0 ? "-" : fmt::format("{} ({})", step.wavefronts, step.ideal),
               step.ways == 0 ? "-" : fmt::format("{}-way", step.ways)});
  }
  std::string text = fmt::format("\nblock 0\n{}", table.text());
  if (steps.size() > most_steps_shown) {
    text += fmt::format("and {} steps more\n", steps.size() - most_steps_shown);
  }
  return text;
}

std::string folds(const page& p) {
  if (p.tree.in_registers) {
    return "\nwhat folds with what: not drawn, as lanes hand each other registers (shuffles), "
           "which no "
           "access to memory shows\n";
  }
  if (p.tree.folds.empty()) return "";
  return fmt::format("\nwhat folds with what: block 0 of {}; letters are elements\n{}",
                     launch_line(p.tree.options), fold_table(p.tree, "  "));
}

std::string named(const drawn_request& r) {
  return fmt::format("step {}, warp {}, a {} at {}", r.step, r.warp, r.writes ? "store" : "load",
                     simt::to_string(r.place));
}

std::string sectors(unsigned count) {
  return fmt::format("{} sector{}", count, count == 1 ? "" : "s");
}

std::string worst_requests(const page& p) {
  std::string text;
  if (const auto& worst = p.drawing.worst_shared; worst && worst->shared.ways > 1) {
    text += fmt::format("\nworst request: {}: {} wavefronts\n{}", named(*worst),
                        worst->shared.wavefronts, bank_map(worst->addresses, "  "));
  }
  if (const auto& worst = p.drawing.worst_global; worst) {
    const bool least = worst->global.sectors == worst->ideal_sectors;
    text += fmt::format(
        "\n{}request to global memory: {}: {} of '{}', {}\n{}", least ? "" : "worst ",
        named(*worst), sectors(worst->global.sectors), worst->buffer,
        least ? "as few as its bytes allow" : fmt::format("{} would do", worst->ideal_sectors),
        sector_strip(worst->addresses, "  "));
  }
  return text;
}

std::string check_lines(const std::string& title, const std::vector<check_line>& lines) {
  std::string text = fmt::format("{:<11}", title);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", lines[i].at, lines[i].verdict);
  }
  return text + "\n";
}

std::string checks(const page& p) {
  std::string text = fmt::format("\n{}", check_lines("schedules", p.schedules));
  for (const std::string& f : p.findings) text += fmt::format("{:11}{}\n", "", f);
  return text + check_lines("lengths", p.lengths);
}

}  // namespace

std::string page_text(const page& p) {
  if (!p.subject->gpu_only.empty()) return head(p) + not_run(p) + times(p);
  if (!p.subject->compiles()) return head(p) + compilers(p) + diff(p);
  return head(p) + diff(p) + claims(p) + counters(p) + lines(p) + excerpts(p) + times(p) +
         lanes_over_steps(p) + folds(p) + worst_requests(p) + checks(p) +
         (p.appendix.empty() ? "" : "\n" + p.appendix);
}

}  // namespace onefold::ladder
