// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trials that several pages need, each run once.

#include "ladder/rung/hardware.hpp"
#include "ladder/trial/try_rung.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace onefold::ladder {

class trials {
 public:
  const trial& find(const rung& r, const trial_options& options) {
    const auto known = std::ranges::find_if(
        done_, [&](const entry& e) { return e.subject == &r && e.outcome.options == options; });
    return known != done_.end() ? known->outcome : keep(r, try_rung(r, options));
  }

  /// The rung's trial, and that of the rung before it if that one takes the options; what is
  /// recorded of both.
  evidence compared(const rung& r, const trial_options& options) {
    const trial& current = find(r, options);
    const rung* before = r.previous.empty() ? nullptr : find_rung(r.previous);
    evidence all{current, nullptr};
    all.recorded = recorded_counters(r.name, options);
    if (before == nullptr) return all;
    all.recorded_before = recorded_counters(before->name, options);
    try {
      all.previous = &find(*before, options);
    } catch (const std::invalid_argument&) {
      all.previous_refuses = true;
    }
    return all;
  }

  /// The same at the launch that a claim speaks of.
  evidence compared(const rung& r, trial_options options, const claim& c) {
    if (c.at != nullptr) c.at(options);
    return compared(r, options);
  }

  const trial& keep(const rung& r, trial outcome) {
    return done_.emplace_back(&r, std::move(outcome)).outcome;
  }

 private:
  struct entry {
    entry(const rung* r, trial t) : subject(r), outcome(std::move(t)) {}
    const rung* subject;
    trial outcome;
  };

  std::deque<entry> done_;  ///< whose entries stay where they are
};

}  // namespace onefold::ladder
