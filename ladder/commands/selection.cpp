// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/selection.hpp"

#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/problem.hpp"
#include "ladder/trial/try_rung.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace onefold::ladder {
namespace {

/// Letters to insert, delete or replace (V. Levenshtein, 1965).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// A name without its ladder is understood as well as one with it.
std::size_t distance_to(const std::string& name, const rung& r) {
  const std::string_view own = r.name.substr(r.name.find('/') + 1);
  return std::min(distance(name, r.name), distance(name, own));
}

/// Fails as a trial would, before its inputs are made.
void check(const rung& r, const trial_options& options) {
  validate_here(r, options);
  const executor_backend where(options);
  kernel_for(r, options, where);
}

selection all_that_take(const options_of& options, bool uncompiled) {
  selection chosen;
  std::string first_refusal;
  bool any_rung = false;
  for (const rung& r : all_rungs()) {
    const trial_options launch = options(r);
    if (!r.compiles() || (uncompiled && !r.under_executor())) {
      if (uncompiled) chosen.steps.push_back({&r, launch});
      continue;
    }
    try {
      check(r, launch);
      chosen.steps.push_back({&r, launch});
      any_rung |= !r.published;
    } catch (const std::invalid_argument& why) {
      if (first_refusal.empty()) first_refusal = why.what();
      const std::string name = fmt::format("{}: ", r.name);
      const std::string reason = why.what();
      chosen.left_out.push_back(reason.starts_with(r.name) ? reason : name + reason);
    }
  }
  if (!any_rung) throw std::invalid_argument(first_refusal);
  return chosen;
}

}  // namespace

const rung& rung_named(const std::string& name) {
  if (const rung* found = find_rung(name)) return *found;
  const auto nearest = std::ranges::min_element(
      all_rungs(), {}, [&name](const rung& r) { return distance_to(name, r); });
  throw std::invalid_argument(
      fmt::format("no rung is called '{}'; the nearest is {}; onefold-ladder list names them all",
                  name, nearest->name));
}

selection select(const std::vector<std::string>& names, const options_of& options,
                 bool uncompiled) {
  if (names.empty()) return all_that_take(options, uncompiled);
  selection chosen;
  for (const std::string& name : names) {
    const rung& r = rung_named(name);
    chosen.steps.push_back({&r, options(r)});
  }
  for (const climb_step& s : chosen.steps) {
    if (!uncompiled || s.step->under_executor()) check(*s.step, s.options);
  }
  return chosen;
}

}  // namespace onefold::ladder
