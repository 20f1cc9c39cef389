// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb.hpp"

#include "ladder/page/trials.hpp"

#include <algorithm>

namespace onefold::ladder {

bool climb_result::as_expected() const {
  if (!claims_hold) return false;
  if (!step->published) return outcome.clean();
  return outcome.options != step->shown_at || outcome.verdict() == step->verdict;
}

std::vector<climb_result> climb(const std::vector<climb_step>& steps) {
  trials done;
  std::vector<climb_result> results;
  for (const auto& [r, options] : steps) {
    const bool hold = std::none_of(r->claims.begin(), r->claims.end(), [&](const claim& c) {
      return judge(c, done.compared(*r, options, c)) == claim_state::broken;
    });
    results.push_back({r, done.find(*r, options), hold});
  }
  return results;
}

}  // namespace onefold::ladder
