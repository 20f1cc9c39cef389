// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb.hpp"
#include "ladder/commands/gpu_climb.hpp"
#include "ladder/page/json.hpp"
#include "ladder/rung/hardware.hpp"

namespace onefold::ladder {
namespace {

json to_json(const climb_result& result) {
  json entry = {{"rung", result.step->name}, {"published", result.step->published}};
  entry.update(to_json(result.outcome));
  entry["claims_hold"] = result.claims_hold;
  const hardware_counters* h = recorded_counters(result.step->name, result.outcome.options);
  entry["hardware"] = h == nullptr
                          ? json(nullptr)
                          : json{{"machine", recorded().machine},
                                 {"instructions", h->instructions},
                                 {"active_lanes", h->active_lanes},
                                 {"lanes_not_predicated_off", h->lanes_not_predicated_off}};
  return entry;
}

}  // namespace

std::string climb_json(const std::vector<climb_result>& results, const gpu_climb* gpu) {
  json rungs = json::array();
  json seconds = json::object();
  for (const climb_result& result : results) {
    rungs.push_back(to_json(result));
    seconds[std::string(result.step->name)] = result.outcome.seconds;
  }
  // As in the main program's output, everything under "run" may differ from run to run.
  json page = {{"schema", 1}, {"results", rungs}, {"run", {{"seconds", seconds}}}};
  if (gpu != nullptr) page["run"]["gpu"] = gpu_climb_json(*gpu);
  return page.dump(2) + "\n";
}

}  // namespace onefold::ladder
