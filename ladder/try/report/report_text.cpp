// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/report/report.hpp"
#include "simt/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

std::string head(const try_report& r) {
  std::string text = fmt::format("{}: {}: {}\n", r.file, r.kernel, r.verdict());
  if (r.state != try_state::ran || r.type.empty()) return text;
  try_run full;
  full.n = r.n;
  full.data = r.data;
  text += fmt::format("n {}, block {}, grid {}, {}, {}{}; {}\n", full.length(), to_string(r.block),
                      to_string(r.grid), r.type, r.op, r.suffix, fmt::join(r.arguments, ", "));
  if (r.guessed && !r.expected.empty()) {
    text += fmt::format("expected, a guess: {}; say what it is with --expect\n", r.expected);
  } else if (!r.expected.empty()) {
    text += fmt::format("expected: {}\n", r.expected);
  }
  if (!r.assumed.empty()) text += fmt::format("assumed: {}\n", r.assumed);
  if (!r.launched.empty()) text += fmt::format("launched with {}\n", r.launched);
  return text;
}

std::string defects(const try_report& r) {
  std::string text;
  for (const try_defect& d : r.defects) text += d.text() + "\n";
  return text.empty() ? "" : "\n" + text;
}

using words = std::vector<std::string>;

void add_once(words& list, std::string word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(std::move(word));
}

/// The first wrong launch of a length.
std::string wrong_answer(const try_report& r, const try_run& run) {
  const std::string op = r.op + r.suffix;
  std::string text = fmt::format("n {}", run.length());
  if (run.block != r.block) text += fmt::format(", block {}", to_string(run.block));
  if (run.n == r.n && run.block == r.block && run.grid != r.grid)
    text += fmt::format(", grid {}", to_string(run.grid));
  if (run.together > 1) text += fmt::format(", {} blocks at a time", run.together);
  if (run.elements != "ordinary" && run.elements != "0, 1, 2, ...")
    text += fmt::format(", elements: {}", run.elements);
  text += ": ";
  if (!run.answer_right) text += fmt::format("the {} is {}, not {}", op, run.answer, run.expected);
  if (!run.wrong_place.file.empty()) text += ", stored at " + simt::to_string(run.wrong_place);
  if (run.never_read + run.read_again == 0) return text;
  return text + fmt::format("{}{} elements never read, {} more than once",
                            run.answer_right ? "" : "; ", run.never_read, run.read_again);
}

/// The longest and the shortest launch that go wrong, with the schedules that do there; the other
/// lengths in one line.
std::string wrong_answers(const try_report& r) {
  std::vector<const try_run*> wrong;
  for (const try_run& run : r.runs) {
    if (!run.right() && (wrong.empty() || wrong.back()->n != run.n)) wrong.push_back(&run);
  }
  std::string text;
  for (const try_run* run : wrong) {
    if (run != wrong.front() && run != wrong.back()) continue;
    words orders;
    for (const try_run& other : r.runs) {
      if (other.n == run->n && !other.right()) add_once(orders, to_string(other.order));
    }
    text += fmt::format("{} ({})\n", wrong_answer(r, *run), fmt::join(orders, ", "));
  }
  words between;
  for (std::size_t i = 1; i + 1 < wrong.size(); ++i) between.push_back(wrong[i]->length());
  if (!r.lost.empty()) text += r.lost + "\n";
  if (!between.empty()) text += fmt::format("wrong as well at n {}\n", fmt::join(between, ", "));
  return text.empty() ? "" : "\n" + text;
}

/// "forward, reverse; n 65536, 65535, 1; ..."
std::string extent(const try_report& r) {
  words orders, lengths, blocks, elements;
  unsigned together = 1;
  for (const try_run& run : r.runs) {
    add_once(orders, to_string(run.order));
    add_once(lengths, run.length());
    add_once(blocks, to_string(run.block));
    add_once(elements, run.elements);
    together = std::max(together, run.together);
  }
  std::string text =
      fmt::format("\nlaunched {} times: schedules {}; n {}; blocks of {}", r.runs.size(),
                  fmt::join(orders, ", "), fmt::join(lengths, ", "), fmt::join(blocks, ", "));
  if (together > 1) text += fmt::format(", up to {} at a time", together);
  return text + fmt::format("; elements {}\n", fmt::join(elements, "; "));
}

struct row {
  const char* name;
  std::uint64_t kernel, rungs;
};

std::vector<row> rows_of(const simt::counts& a, const simt::counts& b) {
  return {{"shared load wavefronts", a.shared_load.wavefronts, b.shared_load.wavefronts},
          {"shared load conflicts", a.shared_load.conflicts, b.shared_load.conflicts},
          {"shared store wavefronts", a.shared_store.wavefronts, b.shared_store.wavefronts},
          {"shared store conflicts", a.shared_store.conflicts, b.shared_store.conflicts},
          {"shared atomic wavefronts", a.shared_atomic.wavefronts, b.shared_atomic.wavefronts},
          {"worst conflict, ways", a.worst_ways(), b.worst_ways()},
          {"global load sectors", a.global_load.sectors, b.global_load.sectors},
          {"global store sectors", a.global_store.sectors, b.global_store.sectors},
          {"global atomic sectors", a.global_atomic.sectors, b.global_atomic.sectors},
          {"divergent branches", a.divergent_branches, b.divergent_branches},
          {"barriers, warps at them", a.barriers, b.barriers}};
}

std::string counts(const try_report& r) {
  if (!r.counts) return "";
  const bool compared = r.rung_counts.has_value();
  const std::size_t width = std::max<std::size_t>(10, r.rung.size());
  std::string text = fmt::format(
      "\n{:<25}{:>10}", fmt::format("counted, {}", to_string(r.runs.front().order)), "yours");
  text += compared ? fmt::format("  {:>{}}\n", r.rung, width) : "\n";
  for (const row& line : rows_of(*r.counts, r.rung_counts.value_or(simt::counts{}))) {
    text += fmt::format("{:<25}{:>10}", line.name, line.kernel);
    text += compared ? fmt::format("  {:>{}}\n", line.rungs, width) : "\n";
  }
  return text;
}

std::string untested(const try_report& r) {
  std::string text;
  for (const std::string& item : r.untested) text += "not tested: " + item + "\n";
  return text;
}

std::string printed(const try_report& r) {
  if (r.printed.empty()) return "";
  const std::string launch = r.runs.empty()
                                 ? "the last launch"
                                 : "one launch, " + std::string(to_string(r.runs.front().order));
  return "\nprinted by " + launch + ":\n" + r.printed;
}

std::string hints(const try_report& r) {
  std::string text;
  for (const std::string& note : r.notes) text += "note: " + note + "\n";
  for (const std::string& hint : r.hints) text += "hint: " + hint + "\n";
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string text_of(const try_report& r) {
  if (r.state == try_state::refused) return fmt::format("onefold-ladder try: {}\n", r.message);
  if (r.state == try_state::interrupted) return "onefold-ladder try: interrupted\n";
  if (r.state == try_state::not_compiled) return head(r) + "\n" + r.message;
  return head(r) + defects(r) + wrong_answers(r) + (r.runs.empty() ? "" : extent(r) + untested(r)) +
         printed(r) + counts(r) + hints(r);
}

}  // namespace onefold::ladder
