// SPDX-License-Identifier: Apache-2.0
#pragma once
// The page of one rung: what changed, what the textbooks claim and what was counted, which lanes
// work in which step, the worst request on a map of the banks, and what breaks.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

struct explanation {
  std::string text;
  bool as_expected;  ///< no claim is broken, and a rung is clean under every schedule and length
};

/// Fails: as try_rung.
explanation explain(const rung& r, const trial_options& options);

}  // namespace onefold::ladder
