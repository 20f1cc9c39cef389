// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of this room.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

/// A rung::appendix: the article's times beside ours.
std::string article_times();

rung dot_serial_rung();
rung dot_tree_rung();
rung dot_conflict_free_rung();
rung dot_unrolled_rung();
rung dot_last_warp_rung();
rung dot_kahan_rung();
rung dot_two_product_rung();
rung dot_exact_rung();

}  // namespace onefold::ladder
