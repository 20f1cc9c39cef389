// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/watch/store_watch.hpp"

#include "ladder/try/watch/equal_stores.hpp"
#include "simt/memory_map.hpp"

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

constexpr std::array<const char*, deeds> phrases = {"the sum of",        "the product of",
                                                    "the maximum of",    "the minimum of",
                                                    "the difference of", "a copy of one of"};

// Fewer stores could agree with an operator by chance.
constexpr std::uint64_t enough = 3;

using values = std::vector<number>;

/// What a lane may have combined, oldest first; empty where the guess does not apply.
std::array<values, 4> guessed_operands(const values& loads, const std::optional<number>& stored) {
  std::array<values, 4> guesses;
  if (loads.size() >= 2) guesses[0] = {loads[loads.size() - 2], loads.back()};
  if (stored && !loads.empty()) guesses[1] = {*stored, loads.back()};
  if (loads.size() >= 2) guesses[2] = loads;
  if (stored && !loads.empty()) {
    guesses[3] = {*stored};
    guesses[3].insert(guesses[3].end(), loads.begin(), loads.end());
  }
  return guesses;
}

template <class Fold>
number fold_all(const values& operands, Fold&& fold_two) {
  number total = operands.front();
  for (std::size_t i = 1; i < operands.size(); ++i) total = fold_two(total, operands[i]);
  return total;
}

bool explains(deed d, scalar type, const values& operands, number value) {
  if (d == deed::copy) return value == operands.back();
  if (d != deed::difference) {
    const auto op = static_cast<reduction>(d);
    return value == fold_all(operands, [=](number a, number b) { return fold(op, type, a, b); });
  }
  const number left =
      fold_all(operands, [type](number a, number b) { return difference(type, a, b); });
  // Two operands may be subtracted either way; more of them only from zero.
  return value == left || value == difference(type, 0, left) ||
         value == difference(type, left, fold(reduction::sum, type, operands[0], operands[0]));
}

}  // namespace

const char* to_string(deed d) {
  return phrases[static_cast<std::size_t>(d)];
}

deed deed_of(reduction op) {
  return static_cast<deed>(op);
}

void store_watch::launch_begins(const simt::launch_view& launch) {
  sites_ = &launch.sites;
  map_ = &launch.map;
  lanes_.assign(launch.threads, {});
}

void store_watch::block_begins(unsigned) {
  for (lane_record& lane : lanes_) lane = {};
}

void store_watch::access(const simt::memory_access& access) {
  settle();
  const auto* at = static_cast<const std::byte*>(address_of(*map_, access));
  if (!access.inside || at == nullptr) return;
  lane_record& lane = lanes_[access.who.thread];
  const bool shared = access.where == simt::space::shared;
  const bool reads = !access.writes || access.reads;
  const unsigned item = size_bytes(element_);
  if (access.size_bytes % item != 0) return;
  for (unsigned byte = 0; reads && byte < access.size_bytes; byte += item) {
    lane.loads.push_back(load(element_, at + byte));
    lane.shared_loads &= shared;
  }
  if (access.writes && access.size_bytes == item) {
    pending_ = {at, sites_->pc_of(access.site), access.who.thread, shared};
  }
}

void store_watch::settle() {
  if (!pending_) return;
  const pending_store store = *pending_;
  pending_.reset();
  lane_record& lane = lanes_[store.thread];
  const number value = load(element_, store.address);
  site_record& site = by_pc_[store.pc];
  site.shared_to_shared &= store.shared && lane.shared_loads;
  note(site, lane, value);
  lane = {{}, value, true};
}

void store_watch::note(site_record& site, const lane_record& lane, number value) {
  if (lane.loads.empty()) {
    if (!lane.stored && !site.from_nothing) site.from_nothing = value;
    return;
  }
  const bool known = std::find(lane.loads.begin(), lane.loads.end(), value) != lane.loads.end();
  if (!known && lane.stored != value && !site.foreign) site.foreign = value;
  const auto guesses_here = guessed_operands(lane.loads, lane.stored);
  for (std::size_t d = 0; d < deeds; ++d) {
    for (std::size_t g = 0; g < guesses; ++g) {
      if (guesses_here[g].empty()) continue;
      tally& t = site.tallies[d][g];
      ++t.stores;
      t.right += explains(static_cast<deed>(d), element_, guesses_here[g], value);
    }
  }
}

std::map<std::uintptr_t, store_watch::line> store_watch::lines() const {
  std::map<std::uintptr_t, line> found;
  for (const auto& [pc, record] : by_pc_) {
    line& l = found[pc];
    l.shared_to_shared = record.shared_to_shared;
    l.from_nothing = record.from_nothing;
    l.foreign = record.foreign;
    for (std::size_t d = 0; d < deeds; ++d) {
      const auto& by_guess = record.tallies[d];
      l.explained[d] = std::any_of(by_guess.begin(), by_guess.end(), [](const tally& t) {
        return t.stores >= enough && t.right == t.stores;
      });
    }
  }
  return found;
}

}  // namespace onefold::ladder::learner
