// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of a report as JSON and back: between the child and its parent, and in --json.

#include "ladder/try/report.hpp"

#include <nlohmann/json.hpp>

namespace onefold::ladder::learner {

using json = nlohmann::ordered_json;

json to_json(const simt::location& place);
json to_json(const simt::finding& finding);
json to_json(const simt::counts& counts);
json to_json(const try_run& run);
json to_json(const try_defect& defect);

simt::counts counts_from(const json& j);
try_run run_from(const json& j);
try_defect defect_from(const json& j);

const char* to_string(simt::schedule order);
/// "all", or one; all orders for an empty word.
/// Fails: std::invalid_argument that lists the words.
std::vector<simt::schedule> orders_named(const std::string& word);

}  // namespace onefold::ladder::learner
