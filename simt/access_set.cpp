// SPDX-License-Identifier: Apache-2.0
#include "simt/access_set.hpp"

#include <algorithm>
#include <bit>

namespace onefold::simt {
namespace {

constexpr std::size_t fewest_to_tidy = 64;  // twice the warps of a block

bool joins(const access_set::entry& a, const access_set::entry& b) {
  return a.warp == b.warp && a.clock == b.clock && a.site == b.site && a.index == b.index;
}

}  // namespace

/// Whether all that comes after this access comes after the other one.
bool access_set::finished::stands_for(const finished& other) const {
  return std::all_of(ways.begin(), ways.end(), [&other](const way& own) {
    return std::any_of(other.ways.begin(), other.ways.end(),
                       [&own](const way& theirs) { return own.implies(theirs); });
  });
}

void access_set::clear(std::uint32_t log) {
  log_ = log;
  entries_.clear();
  finished_.clear();
}

void access_set::add(const entry& e, const lane_position& who, const happens_before& order) {
  if (!entries_.empty() && entries_.back().when != e.when) leave_block(order);
  if (e.index == entry::no_index) {
    const auto same = std::find_if(entries_.rbegin(), entries_.rend(),
                                   [&e](const entry& other) { return joins(other, e); });
    if (same != entries_.rend()) {
      same->lanes |= e.lanes;
      return;
    }
  }
  if (entries_.size() > tidy_above_) tidy(who, order);
  entries_.push_back(e);
}

bool access_set::comes_before(const entry& e, const lane_position& who,
                              const happens_before& order) const {
  if (e.index != entry::no_index && order.gone({log_, e.index, true}, who)) return true;
  return order.not_before(e.when, e.warp, e.clock, e.lanes, who) == 0;
}

// What comes before an access need not be kept beside it: who comes after it comes after both.
void access_set::tidy(const lane_position& who, const happens_before& order) {
  for (entry& e : entries_) {
    e.lanes = order.not_before(e.when, e.warp, e.clock, e.lanes, who);
  }
  std::erase_if(entries_, [](const entry& e) { return e.lanes == 0; });
  tidy_above_ = std::max(fewest_to_tidy, 2 * entries_.size());
}

/// Entries of an earlier epoch of the running block come before everything from now on.
void access_set::leave_block(const happens_before& order) {
  const epoch when = entries_.front().when;
  if (when < order.block_begin()) {
    if (order.all_releases().any_of_block(when)) {
      for (const entry& e : entries_) settle(e, order);
    } else {
      settle(entries_.back(), order);  // who has observed the last atomic has observed all
    }
  }
  entries_.clear();
}

void access_set::settle(const entry& e, const happens_before& order) {
  for (std::uint32_t lanes = e.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const auto thread = static_cast<std::uint16_t>(e.warp * order.warp_lanes() + lane);
    finished f{e.site, order.all_releases().ways_after({e.when, thread, e.clock})};
    if (e.index != entry::no_index) f.ways.push_back({log_, e.index, true});
    add_finished(std::move(f));
  }
}

void access_set::add_finished(finished f) {
  if (std::any_of(finished_.begin(), finished_.end(),
                  [&f](const finished& other) { return other.stands_for(f); })) {
    return;
  }
  std::erase_if(finished_, [&f](const finished& other) { return f.stands_for(other); });
  finished_.push_back(std::move(f));
}

void access_set::unordered(const lane_position& who, const happens_before& order,
                           std::vector<rival>& rivals) {
  if (!entries_.empty() && entries_.front().when < order.block_begin()) leave_block(order);
  for (const finished& f : finished_) {
    const bool after =
        std::any_of(f.ways.begin(), f.ways.end(), [&](const way& w) { return order.gone(w, who); });
    if (!after) rivals.push_back({f.site, true});
  }
  if (entries_.empty() || entries_.front().when != order.now()) return;
  for (const entry& e : entries_) {
    if (!comes_before(e, who, order)) rivals.push_back({e.site, false});
  }
}

}  // namespace onefold::simt
