// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/report/events.hpp"

#include "simt/schedules.hpp"

#include <stdexcept>

namespace onefold::ladder::learner {

json to_json(const try_shape& shape) {
  if (shape.is_flat()) return shape.x;
  json list = {shape.x, shape.y};
  if (shape.z != 1) list.push_back(shape.z);
  return list;
}

try_shape shape_from(const json& j) {
  if (j.is_number()) return {j.get<unsigned>()};
  return {j.at(0), j.at(1), j.size() == 3 ? j.at(2).get<unsigned>() : 1};
}

json to_json(const try_run& run) {
  json findings = json::array();
  for (const simt::finding& f : run.findings) findings.push_back(to_json(f));
  json entry = {{"n", run.n}};
  if (!run.data.is_flat()) entry["shape"] = to_json(run.data);
  entry["grid"] = to_json(run.grid);
  entry["block"] = to_json(run.block);
  if (run.together > 1) entry["together"] = run.together;
  entry["schedule"] = to_string(run.order);
  entry["elements"] = run.elements;
  entry["answer"] = run.answer;
  entry["expected"] = run.expected;
  entry["answer_right"] = run.answer_right;
  if (!run.wrong_place.file.empty()) entry["stored_at"] = to_json(run.wrong_place);
  entry["reads"] = {{"never", run.never_read}, {"more", run.read_again}};
  entry["findings"] = std::move(findings);
  entry["verdict"] = run.verdict();
  return entry;
}

json to_json(const try_defect& d) {
  json entry = {{"defect", d.kind}};
  if (!d.place.file.empty()) entry["place"] = to_json(d.place);
  if (!d.other.file.empty()) entry["other_place"] = to_json(d.other);
  for (const simt::location& more : d.more_places) entry["more_places"].push_back(to_json(more));
  entry["detail"] = d.detail;
  entry["times"] = d.times;
  if (!d.where.empty()) entry["launch"] = d.where;
  return entry;
}

try_run run_from(const json& j) {
  try_run run;
  run.n = j.at("n");
  run.data =
      j.contains("shape") ? shape_from(j.at("shape")) : try_shape{static_cast<unsigned>(run.n)};
  run.grid = shape_from(j.at("grid"));
  if (j.contains("stored_at")) run.wrong_place = location_from(j.at("stored_at"));
  run.order = orders_named(j.at("schedule")).front();
  run.block = shape_from(j.at("block"));
  run.together = j.value("together", 1u);
  run.elements = j.at("elements");
  run.gathered = run.elements == "equal elements together";
  run.answer = j.at("answer");
  run.expected = j.at("expected");
  run.never_read = j.at("reads").at("never");
  run.read_again = j.at("reads").at("more");
  run.answer_right = j.at("answer_right");
  for (const json& f : j.at("findings")) run.findings.push_back(finding_from(f));
  return run;
}

try_defect defect_from(const json& j) {
  try_defect d;
  d.kind = j.at("defect");
  if (j.contains("place")) d.place = location_from(j.at("place"));
  d.detail = j.at("detail");
  return d;
}

std::vector<simt::schedule> orders_named(const std::string& word) {
  std::vector<simt::schedule> list;
  for (const simt::schedule order : simt::all_schedules) {
    if (word.empty() || word == "all" || word == to_string(order)) list.push_back(order);
  }
  if (list.empty()) {
    throw std::invalid_argument("--schedule " + word +
                                ": use all, forward, reverse, shuffled, lockstep");
  }
  return list;
}

}  // namespace onefold::ladder::learner
