// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/rungs.hpp"

#include "ladder/dot/published_times.hpp"

namespace onefold::ladder {

std::string article_times() {
  return to_text(published_ratios());
}

std::vector<rung> dot_rungs() {
  std::vector<rung> rungs = {
      dot_serial_rung(),    dot_tree_rung(),  dot_conflict_free_rung(), dot_unrolled_rung(),
      dot_last_warp_rung(), dot_kahan_rung(), dot_two_product_rung(),   dot_exact_rung(),
  };
  for (rung& r : rungs) {
    if (r.published_us > 0 && r.appendix == nullptr) r.appendix = article_times;
  }
  return rungs;
}

}  // namespace onefold::ladder
