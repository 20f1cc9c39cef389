// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the executor counted and found, as JSON and back: in every --json answer, and between
// `try` and the process in which it runs a learner's kernel.

#include "simt/counts.hpp"
#include "simt/findings.hpp"

#include <nlohmann/json.hpp>

namespace onefold::ladder {

using json = nlohmann::ordered_json;

json to_json(const simt::counts& c);
json to_json(const simt::location& place);
json to_json(const simt::finding& f);

// Fail: nlohmann::json::exception, when a word is missing or of another type.
simt::counts counts_from(const json& j);
simt::location location_from(const json& j);
simt::finding finding_from(const json& j);

}  // namespace onefold::ladder
