// SPDX-License-Identifier: Apache-2.0
#pragma once
// The texts of ladder_{counters,times}.json of the card in bench/results/ that was recorded last,
// and of the newest ladder_climb.json.

#include <string_view>

namespace onefold::ladder {

extern const std::string_view recorded_counters_json, recorded_times_json, recorded_climb_json;

}  // namespace onefold::ladder
