// SPDX-License-Identifier: Apache-2.0
#include "cpu/accumulation.hpp"

#include <algorithm>
#include <utility>

#include "cpu/tasks.hpp"
#include "state/states.hpp"

namespace onefold::cpu {
namespace {

// The family that answers an operator where `all` are asked for together.
family serving(op what, const op_list& all, accuracy how) {
  const family own = family_of(what);
  const bool sums = own == family::total || own == family::squares;
  const bool moments = std::any_of(all.begin(), all.end(),
                                   [](op each) { return family_of(each) == family::moments; });
  return sums && moments && how == accuracy::exact ? family::moments : own;
}

}  // namespace

bool is_ordered(family what, dtype, accuracy how) {
  switch (what) {
  case family::product:
  case family::log_sum:
    return true;
  case family::extrema:
  case family::tally:
  case family::bits:
    return false;
  default:
    return how == accuracy::fast;
  }
}

accumulation::accumulation(const op_list& what, dtype input, accuracy how) {
  for (const op each : what) {
    const family serves = serving(each, what, how);
    const auto same = [&](const family_state& known) { return known.what == serves; };
    if (std::any_of(families_.begin(), families_.end(), same)) continue;
    if (is_ordered(serves, input, how))
      families_.push_back({serves, chunk_tree(empty_ordered_state(serves, input))});
    else
      families_.push_back({serves, empty_state(serves, input)});
  }
}

void accumulation::push(const std::vector<ordered_state>& parts) {
  if (parts.empty()) return;
  auto part = parts.begin();
  for (family_state& each : families_)
    if (each.ordered()) std::get<chunk_tree>(each.value).push(*part++);
}

const family_state& accumulation::of(op what) const {
  const family own = family_of(what);
  for (const family_state& each : families_)
    if (each.what == own) return each;
  // Not its own: the moments stand in.
  return *std::find_if(families_.begin(), families_.end(),
                       [](const auto& each) { return each.what == family::moments; });
}

worker::worker(const accumulation& of, dtype input, accuracy how) {
  for (const family_state& each : of.families()) {
    slot made;
    if (each.ordered())
      made.ordered = make_ordered_task(each.what, input, how);
    else
      made.commuting = make_task(each.what, input);
    slots_.push_back(std::move(made));
  }
}

void worker::take(const piece& next, std::vector<ordered_state>& parts) {
  parts.clear();
  count_ += next.n;
  if (next.n == 0) return;
  for (slot& each : slots_) {
    if (each.commuting)
      each.commuting->take(next);
    else
      parts.push_back(each.ordered->take(next));
  }
}

void worker::drain(accumulation& into) {
  into.count() += std::exchange(count_, 0);
  into.dropped_nans() += std::exchange(dropped_nans_, 0);
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].commuting)
      slots_[i].commuting->drain(std::get<any_state>(into.families()[i].value));
  for (slot& each : slots_) {
    if (!each.commuting) continue;
    into.paths() += each.commuting->paths();
    into.paths() -= each.told;
    each.told = each.commuting->paths();
  }
}

}  // namespace onefold::cpu
