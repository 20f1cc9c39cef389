// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace onefold::ladder {

bool page::as_expected() const {
  const bool broken = std::ranges::any_of(
      claims, [](const claim_line& c) { return c.state == claim_state::broken; });
  const auto clean = [](const check_line& c) { return c.clean; };
  return !broken && (subject->published || (std::ranges::all_of(schedules, clean) &&
                                            std::ranges::all_of(lengths, clean)));
}

const char* to_string(claim_state state) {
  switch (state) {
  case claim_state::holds:
    return "yes";
  case claim_state::does_not_hold:
    return "no";
  case claim_state::broken:
    return "BROKEN";
  case claim_state::only_full_warps:
    return "only with --warp 32";
  case claim_state::only_host_driver:
    return "only with --driver host";
  case claim_state::not_compared:
    return "not compared";
  case claim_state::not_recorded:
    return "not recorded";
  case claim_state::not_at_this_size:
    break;
  }
  return "not at this size";
}

bool is_wrong_value(const fold& f) {
  return f.value && f.right && *f.value != *f.right;
}

bool shows_by_value(const grid_picture& g) {
  if (g.answer == g.expected) return false;
  const auto lost = [&](const fold& f) { return f.unknown || f.holds.empty(); };
  std::set<std::size_t> arrived;
  for (const fold& f : g.results) arrived.insert(f.holds.begin(), f.holds.end());
  return arrived.size() == g.options.n && std::ranges::none_of(g.telling.folds, lost) &&
         std::ranges::any_of(g.results, is_wrong_value);
}

std::string letters(const std::vector<std::size_t>& elements) {
  static constexpr std::string_view alphabet =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::size_t readable = 16;
  const bool known =
      std::ranges::all_of(elements, [](std::size_t e) { return e < alphabet.size(); });
  if (!known || elements.size() > readable) return fmt::format("{} elements", elements.size());
  std::string word;
  for (const std::size_t e : elements) word += alphabet[e];
  return word;
}

}  // namespace onefold::ladder
