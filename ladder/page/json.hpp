// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trials as JSON.

#include "ladder/json/simt.hpp"
#include "ladder/rung/trial.hpp"

namespace onefold::ladder {

json to_json(const trial_options& options);

/// The answer, what was read, the counts, the findings and the verdict.
json to_json(const trial& t);

}  // namespace onefold::ladder
