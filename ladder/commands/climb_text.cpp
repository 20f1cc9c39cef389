// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb.hpp"
#include "ladder/page/text.hpp"
#include "ladder/rung/hardware.hpp"

#include <fmt/format.h>

#include <functional>

namespace onefold::ladder {
namespace {

using results_of = std::vector<std::reference_wrapper<const climb_result>>;

std::string_view ladder_of(const climb_result& result) {
  return result.step->name.substr(0, result.step->name.find('/'));
}

std::vector<std::string> row_of(const climb_result& result) {
  const simt::counts& c = result.outcome.counts;
  return {std::string(result.step->name),
          fmt::format("{}", c.divergent_branches),
          fmt::format("{} / {}", c.shared_load.wavefronts, c.shared_store.wavefronts),
          fmt::format("{} / {}", c.shared_load.conflicts, c.shared_store.conflicts),
          c.worst_ways() == 0 ? "-" : fmt::format("{}-way", c.worst_ways()),
          fmt::format("{} / {}", c.global_load.sectors, c.global_store.sectors),
          fmt::format("{}", c.global_atomic.sectors),
          fmt::format("{}", c.barriers),
          result.outcome.verdict()};
}

std::string ladder_table(const results_of& results) {
  text_table table({{"rung", align::left},
                    {"divergent", align::right},
                    {"wavefronts ld/st", align::right},
                    {"conflicts ld/st", align::right},
                    {"worst", align::right},
                    {"sectors ld/st", align::right},
                    {"atomic", align::right},
                    {"barriers", align::right},
                    {"verdict", align::left}});
  for (const climb_result& result : results) table.add(row_of(result));
  return table.text();
}

/// What warps execute: the GPU counts instructions, the executor basic blocks of the source.
std::string instructions_table(const results_of& results) {
  const std::string& machine = recorded().machine;
  text_table table({{"rung", align::left},
                    {fmt::format("instructions, {}", machine), align::right},
                    {"lanes at work", align::right},
                    {"basic blocks, executor", align::right},
                    {"lanes together", align::right}});
  for (const climb_result& result : results) {
    const trial& t = result.outcome;
    const hardware_counters* h = recorded_counters(result.step->name, t.options);
    table.add({std::string(result.step->name),
               h == nullptr ? "not recorded" : fmt::format("{}", h->instructions),
               h == nullptr ? "-" : fmt::format("{:.2f}", h->lanes_not_predicated_off),
               fmt::format("{}", t.blocks.by_warps),
               fmt::format("{:.2f}", t.blocks.lanes_together())});
  }
  return table.text();
}

std::string twins_table(const results_of& results) {
  text_table table(
      {{"published defect", align::left}, {"verdict", align::left}, {"launch", align::left}});
  for (const climb_result& result : results) {
    table.add({std::string(result.step->name), result.outcome.verdict(),
               launch_line(result.outcome.options)});
  }
  return table.text();
}

/// One value, or a sentence about many.
std::string wrong_answer(const climb_result& result) {
  const trial& t = result.outcome;
  const work kind = result.step->kind;
  if (kind != work::reduce && kind != work::dot) return t.answer;
  return fmt::format("the answer is {}, not {}", t.answer, t.expected);
}

std::string explanation(const climb_result& result) {
  const trial& t = result.outcome;
  std::string text;
  const bool ended = t.places(simt::defect::no_progress) == 0;
  if (!t.right && ended) {
    text += fmt::format("{}: {}; {} elements read more than once, {} never\n", result.step->name,
                        wrong_answer(result), t.reads.repeatedly, t.reads.never);
  }
  for (const simt::finding& f : t.findings) {
    text += fmt::format("{}: {}\n", result.step->name, f.text());
  }
  if (!result.claims_hold) {
    text += fmt::format("{}: a claim about this rung is broken: see onefold-ladder explain {}\n",
                        result.step->name, result.step->name);
  } else if (!result.as_expected() && result.step->published) {
    text += fmt::format("{}: its verdict was to be: {}\n", result.step->name, result.step->verdict);
  }
  return text;
}

/// Neighbours of one ladder at one launch; twins go together whatever their launches.
bool one_table(const climb_result& a, const climb_result& b) {
  return ladder_of(a) == ladder_of(b) &&
         (a.step->published || a.outcome.options == b.outcome.options);
}

std::string heading(const climb_result& first) {
  if (first.step->published) return "published, each with its defect";
  return fmt::format("{}: {}", ladder_of(first), launch_line(first.outcome.options));
}

}  // namespace

std::string climb_text(const std::vector<climb_result>& results) {
  std::string text, details;
  for (auto at = results.begin(); at != results.end();) {
    const climb_result& first = *at;
    results_of together;
    for (; at != results.end() && one_table(first, *at); ++at) together.push_back(*at);
    const std::string table = first.step->published ? twins_table(together)
                                                    : fmt::format("{}\n{}", ladder_table(together),
                                                                  instructions_table(together));
    text += fmt::format("{}{}\n\n{}", text.empty() ? "" : "\n", heading(first), table);
  }
  for (const climb_result& result : results) details += explanation(result);
  return details.empty() ? text : text + "\n" + details;
}

}  // namespace onefold::ladder
