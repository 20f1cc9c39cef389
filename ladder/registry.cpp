// SPDX-License-Identifier: Apache-2.0
#include "ladder/rungs.hpp"

#include <algorithm>

namespace onefold::ladder {

const std::vector<rung>& all_rungs() {
  static const std::vector<rung> rungs = {
      modulo_rung(),
      strided_rung(),
      sequential_rung(),
      first_add_rung(),
      published_first_add_rung(),
  };
  return rungs;
}

const rung* find_rung(std::string_view name) {
  const auto& rungs = all_rungs();
  const auto found =
      std::find_if(rungs.begin(), rungs.end(), [name](const rung& r) { return r.name == name; });
  return found == rungs.end() ? nullptr : &*found;
}

claim_state judge(const claim& c, const evidence& e) {
  // The cost model's claims speak of warps of 32 lanes.
  if (e.mine.options.warp != simt::max_warp_lanes || !c.applies(e)) {
    return claim_state::not_at_this_size;
  }
  const bool counted = c.test(e);
  if (counted != c.true_here) return claim_state::broken;
  return counted ? claim_state::holds : claim_state::does_not_hold;
}

}  // namespace onefold::ladder
