// SPDX-License-Identifier: Apache-2.0
#pragma once
// The counters of a launch, side by side with those of the recorded GPU.

#include "ladder/page/page.hpp"

namespace onefold::ladder {

/// Every counter of a kind of work that the rung does; `hardware` may be null.
std::vector<counter_line> counter_lines(const simt::counts& counts,
                                        const hardware_counters* hardware);

/// Basic blocks of the executor beside instructions of the GPU; `hardware` may be null.
std::vector<issue_line> issue_lines(const simt::block_counts& blocks,
                                    const hardware_counters* hardware);

}  // namespace onefold::ladder
