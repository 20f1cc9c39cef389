// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/explain.hpp"

#include "ladder/page/pictures.hpp"
#include "ladder/page/text.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace onefold::ladder {
namespace {

constexpr std::array all_schedules = {simt::schedule::forward, simt::schedule::reverse,
                                      simt::schedule::shuffled, simt::schedule::lockstep};

std::string head(const rung& r, const trial_options& options) {
  std::string text = fmt::format("{}: {}\n{}\n", r.name, r.title, launch_line(options));
  text += fmt::format("\nidea     {}\n", r.idea);
  if (!r.previous.empty()) text += fmt::format("after    {}\n", r.previous);
  for (const code_change& change : r.changes) {
    text += fmt::format("change   {}\n      -> {}\n", change.before, change.after);
  }
  for (const printed_as& p : r.printed) {
    text += fmt::format("printed  as \"{}\" in {}\n", p.step, citation(p.document));
  }
  return text;
}

std::string verdict_of(claim_state state) {
  switch (state) {
  case claim_state::holds:
    return "yes";
  case claim_state::does_not_hold:
    return "no";
  case claim_state::broken:
    return "BROKEN";
  case claim_state::not_at_this_size:
    break;
  }
  return "not at this size";
}

std::string claims(const rung& r, const evidence& e, const hardware_counters* hardware) {
  text_table table({{"claim", align::left},
                    {"so?", align::left},
                    {"counted", align::left},
                    {std::string(recorded().machine), align::left}});
  for (const claim& c : r.claims) {
    const bool shown = hardware != nullptr && c.measured != nullptr;
    table.add({std::string(c.says), verdict_of(judge(c, e)), c.counted(e),
               shown ? c.measured(*hardware) : "-"});
  }
  return fmt::format("\n{}", table.text());
}

std::string counters(const simt::counts& c, const hardware_counters& h) {
  text_table table({{"counter, whole grid", align::left},
                    {"executor", align::right},
                    {std::string(recorded().machine), align::right}});
  const auto row = [&](const char* name, std::uint64_t mine, std::uint64_t theirs) {
    table.add({name, fmt::format("{}", mine), fmt::format("{}", theirs)});
  };
  row("shared load wavefronts", c.shared_load.wavefronts, h.load_wavefronts);
  row("shared load conflicts", c.shared_load.conflicts, h.load_conflicts);
  row("shared store wavefronts", c.shared_store.wavefronts, h.store_wavefronts);
  row("shared store conflicts", c.shared_store.conflicts, h.store_conflicts);
  row("global load requests", c.global_load.requests, h.global_load_requests);
  row("global load sectors", c.global_load.sectors, h.global_load_sectors);
  return fmt::format("\n{}{}: {}\n", table.text(), recorded().machine, recorded().source);
}

std::string lanes_over_steps(const rung& r, const picture_recorder& picture,
                             const trial_options& options) {
  const unsigned lanes_a_character = std::min(options.warp, std::max(1u, options.block / 64));
  const std::string head = fmt::format("lanes that work; one character = {} lane{}, | = warp",
                                       lanes_a_character, lanes_a_character == 1 ? "" : "s");
  text_table table({{"step", align::right},
                    {"s", align::right},
                    {head, align::left},
                    {"load wavefronts (ideal)", align::right},
                    {"worst", align::right}});
  for (std::size_t i = 0; i < picture.steps().size(); ++i) {
    const auto& step = picture.steps()[i];
    const auto number = static_cast<unsigned>(i);
    if (std::none_of(step.working.begin(), step.working.end(), [](bool w) { return w; })) continue;
    const bool tree = i != 0 && r.distance != nullptr;
    table.add({i == 0 ? "load" : fmt::format("{}", i),
               tree ? fmt::format("{}", r.distance(number, options.block)) : "",
               lane_strip(step.working, options.warp, lanes_a_character),
               fmt::format("{} ({})", step.wavefronts, step.ideal),
               fmt::format("{}-way", step.ways)});
  }
  return fmt::format("\nblock 0\n{}", table.text());
}

std::string worst_request(const picture_recorder& picture) {
  if (!picture.worst() || picture.worst()->ways < 2) return "";
  const auto& worst = *picture.worst();
  return fmt::format("\nworst request: step {}, warp {}, a {} at {}: {} wavefronts\n{}",
                     worst.interval, worst.request.warp, worst.request.writes ? "store" : "load",
                     simt::to_string(simt::locate(worst.request.pc)), worst.ways,
                     bank_map(worst.request.addresses, "  "));
}

struct checks {
  std::string text;
  bool clean = true;
};

checks under_schedules(const rung& r, trial_options options) {
  checks result{"\nschedules  ", true};
  std::set<std::string> findings;
  for (const simt::schedule order : all_schedules) {
    options.order = order;
    const trial t = try_rung(r, options);
    result.clean &= t.clean();
    result.text += fmt::format("{}{}: {}", order == all_schedules.front() ? "" : "; ",
                               to_string(order), t.verdict());
    for (const simt::finding& f : t.findings) {
      if (order == all_schedules.front()) findings.insert(f.text());
    }
  }
  for (const std::string& f : findings) result.text += "\n           " + f;
  result.text += "\n";
  return result;
}

checks at_lengths(const rung& r, trial_options options) {
  checks result{"lengths    ", true};
  const std::size_t below = options.n == 0 ? 0 : options.n - 1;
  std::vector<std::size_t> lengths;
  for (const std::size_t n :
       {options.n, below, std::size_t{1000}, std::size_t{1}, std::size_t{0}}) {
    if (std::find(lengths.begin(), lengths.end(), n) == lengths.end()) lengths.push_back(n);
  }
  for (const std::size_t n : lengths) {
    options.n = n;
    const trial t = try_rung(r, options);
    result.clean &= t.clean();
    result.text += fmt::format("{}{}: {}", n == lengths.front() ? "" : "; ", n, t.verdict());
  }
  result.text += "\n";
  return result;
}

}  // namespace

explanation explain(const rung& r, const trial_options& options) {
  picture_recorder picture(options.block, options.warp);
  const trial mine = try_rung(r, options, &picture);
  std::optional<trial> previous;
  if (!r.previous.empty()) previous = try_rung(*find_rung(r.previous), options);
  const evidence e{mine, previous ? &*previous : nullptr};
  const hardware_counters* hardware = recorded_counters(r.name, options);

  explanation page{head(r, options) + claims(r, e, hardware), true};
  if (hardware != nullptr) page.text += counters(mine.counts, *hardware);
  page.text += lanes_over_steps(r, picture, options) + worst_request(picture);
  const checks schedules = under_schedules(r, options);
  const checks lengths = at_lengths(r, options);
  page.text += schedules.text + lengths.text;
  const bool claims_hold = std::none_of(r.claims.begin(), r.claims.end(), [&](const claim& c) {
    return judge(c, e) == claim_state::broken;
  });
  page.as_expected = claims_hold && (r.published || (schedules.clean && lengths.clean));
  return page;
}

}  // namespace onefold::ladder
