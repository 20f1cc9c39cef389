// SPDX-License-Identifier: Apache-2.0
#include "ladder/climb.hpp"

#include <algorithm>
#include <map>

namespace onefold::ladder {
namespace {

/// Runs every rung at most once.
class trials {
 public:
  explicit trials(const trial_options& options) : options_(options) {}

  const trial& of(const rung& r) {
    const auto known = done_.find(r.name);
    if (known != done_.end()) return known->second;
    return done_.emplace(r.name, try_rung(r, options_)).first->second;
  }

 private:
  trial_options options_;
  std::map<std::string_view, trial> done_;
};

}  // namespace

std::vector<climb_result> climb(const std::vector<const rung*>& rungs,
                                const trial_options& options) {
  trials done(options);
  std::vector<climb_result> results;
  for (const rung* r : rungs) {
    const trial* previous = r->previous.empty() ? nullptr : &done.of(*find_rung(r->previous));
    const evidence e{done.of(*r), previous};
    const bool hold = std::none_of(r->claims.begin(), r->claims.end(), [&](const claim& c) {
      return judge(c, e) == claim_state::broken;
    });
    results.push_back({r, e.mine, hold});
  }
  return results;
}

}  // namespace onefold::ladder
