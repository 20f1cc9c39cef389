// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of a report as JSON and back: between the child and its parent, and in --json.

#include "ladder/json/simt.hpp"
#include "ladder/try/report/report.hpp"

namespace onefold::ladder::learner {

using ladder::json;
using ladder::to_json;

json to_json(const try_run& run);
json to_json(const try_defect& defect);

/// A number if it is flat, else a list of two or three.
json to_json(const try_shape& shape);
try_shape shape_from(const json& j);

try_run run_from(const json& j);
try_defect defect_from(const json& j);

/// "all", or one; all orders for an empty word.
/// Fails: std::invalid_argument that lists the words.
std::vector<simt::schedule> orders_named(const std::string& word);

}  // namespace onefold::ladder::learner
