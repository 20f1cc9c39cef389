// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb.hpp"

#include <nlohmann/json.hpp>

namespace onefold::ladder {
namespace {

using json = nlohmann::ordered_json;

json to_json(const simt::shared_counts& c) {
  return {{"requests", c.requests},
          {"wavefronts", c.wavefronts},
          {"conflicts", c.conflicts},
          {"worst_ways", c.worst_ways}};
}

json to_json(const simt::global_counts& c) {
  return {{"requests", c.requests}, {"sectors", c.sectors}, {"lines", c.lines}};
}

json to_json(const simt::counts& c) {
  return {{"shared_load", to_json(c.shared_load)},      {"shared_store", to_json(c.shared_store)},
          {"global_load", to_json(c.global_load)},      {"global_store", to_json(c.global_store)},
          {"divergent_branches", c.divergent_branches}, {"barriers", c.barriers}};
}

json to_json(const simt::location& place) {
  return {{"file", place.file}, {"line", place.line}};
}

json to_json(const simt::finding& f) {
  json entry = {{"defect", simt::to_string(f.kind)}, {"place", to_json(f.place)}};
  if (!f.other.file.empty()) entry["other_place"] = to_json(f.other);
  entry["detail"] = f.detail;
  entry["times"] = f.times;
  return entry;
}

json to_json(const trial_options& options) {
  return {{"n", options.n},
          {"block", options.block},
          {"type", to_string(options.type)},
          {"op", to_string(options.op)},
          {"driver", to_string(options.drive)},
          {"schedule", to_string(options.order)},
          {"seed", options.seed},
          {"warp", options.warp}};
}

json to_json(const climb_result& result) {
  const trial& t = result.outcome;
  json list = json::array();
  for (const simt::finding& f : t.findings) list.push_back(to_json(f));
  return {
      {"rung", result.step->name},
      {"published", result.step->published},
      {"launch", to_json(t.options)},
      {"launches", t.launches},
      {"grid", t.grid},
      {"answer", t.answer},
      {"expected", t.expected},
      {"right", t.right},
      {"reads", {{"never", t.reads.never}, {"once", t.reads.once}, {"more", t.reads.repeatedly}}},
      {"counts", to_json(t.counts)},
      {"findings", list},
      {"claims_hold", result.claims_hold},
      {"verdict", t.verdict()}};
}

}  // namespace

std::string climb_json(const std::vector<climb_result>& results) {
  json rungs = json::array();
  json seconds = json::object();
  for (const climb_result& result : results) {
    rungs.push_back(to_json(result));
    seconds[std::string(result.step->name)] = result.outcome.seconds;
  }
  // As in the main program's output, everything under "run" may differ from run to run.
  const json page = {{"schema", 1}, {"results", rungs}, {"run", {{"seconds", seconds}}}};
  return page.dump(2) + "\n";
}

}  // namespace onefold::ladder
