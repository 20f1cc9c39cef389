// SPDX-License-Identifier: Apache-2.0
#pragma once
// The texts of bench/results/h200/ladder_{counters,times}.json.

#include <string_view>

namespace onefold::ladder {

extern const std::string_view recorded_counters_json, recorded_times_json;

}  // namespace onefold::ladder
