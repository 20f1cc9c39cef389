// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pieces that every JSON answer of the ladder is made of.

#include "ladder/rung/trial.hpp"

#include <nlohmann/json.hpp>

namespace onefold::ladder {

using json = nlohmann::ordered_json;

json to_json(const simt::counts& c);
json to_json(const simt::location& place);
json to_json(const simt::finding& f);
json to_json(const trial_options& options);

/// The answer, what was read, the counts, the findings and the verdict.
json to_json(const trial& t);

}  // namespace onefold::ladder
