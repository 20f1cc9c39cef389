// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb.hpp"

#include <algorithm>
#include <map>

namespace onefold::ladder {
namespace {

/// Runs every rung at most once; a climb has one set of options for each kind of work.
class trials {
 public:
  const trial& of(const rung& r, const trial_options& options) {
    const auto known = done_.find(r.name);
    if (known != done_.end()) return known->second;
    return done_.emplace(r.name, try_rung(r, options)).first->second;
  }

 private:
  std::map<std::string_view, trial> done_;
};

}  // namespace

std::vector<climb_result> climb(const std::vector<climb_step>& steps) {
  trials done;
  std::vector<climb_result> results;
  for (const auto& [r, options] : steps) {
    const rung* before = r->previous.empty() ? nullptr : find_rung(r->previous);
    const trial* previous = before == nullptr ? nullptr : &done.of(*before, options);
    const evidence e{done.of(*r, options), previous};
    const bool hold = std::none_of(r->claims.begin(), r->claims.end(), [&](const claim& c) {
      return judge(c, e) == claim_state::broken;
    });
    results.push_back({r, e.mine, hold});
  }
  return results;
}

}  // namespace onefold::ladder
