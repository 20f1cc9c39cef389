// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/events.hpp"

#include <array>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

constexpr std::array<const char*, 4> orders = {"forward", "reverse", "shuffled", "lockstep"};

json to_json(const simt::shared_counts& c) {
  return {{"requests", c.requests},
          {"wavefronts", c.wavefronts},
          {"conflicts", c.conflicts},
          {"worst_ways", c.worst_ways}};
}

json to_json(const simt::global_counts& c) {
  return {{"requests", c.requests}, {"sectors", c.sectors}, {"lines", c.lines}};
}

simt::shared_counts shared_from(const json& j) {
  return {j.at("requests"), j.at("wavefronts"), j.at("conflicts"), j.at("worst_ways")};
}

simt::global_counts global_from(const json& j) {
  return {j.at("requests"), j.at("sectors"), j.at("lines")};
}

simt::location location_from(const json& j) {
  return {j.at("file").get<std::string>(), j.at("line")};
}

simt::finding finding_from(const json& j) {
  simt::finding f{};
  const std::string kind = j.at("defect");
  for (std::size_t k = 0; k < simt::defect_kinds; ++k) {
    if (kind == simt::to_string(static_cast<simt::defect>(k)))
      f.kind = static_cast<simt::defect>(k);
  }
  f.place = location_from(j.at("place"));
  if (j.contains("other_place")) f.other = location_from(j.at("other_place"));
  f.detail = j.at("detail");
  f.times = j.at("times");
  return f;
}

}  // namespace

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

json to_json(const simt::counts& c) {
  return {{"shared_load", to_json(c.shared_load)},      {"shared_store", to_json(c.shared_store)},
          {"global_load", to_json(c.global_load)},      {"global_store", to_json(c.global_store)},
          {"divergent_branches", c.divergent_branches}, {"barriers", c.barriers}};
}

json to_json(const try_run& run) {
  json findings = json::array();
  for (const simt::finding& f : run.findings) findings.push_back(to_json(f));
  return {{"n", run.n},
          {"grid", run.grid},
          {"schedule", to_string(run.order)},
          {"answer", run.answer},
          {"expected", run.expected},
          {"answer_right", run.answer_right},
          {"reads", {{"never", run.never_read}, {"more", run.read_again}}},
          {"findings", std::move(findings)},
          {"verdict", run.verdict()}};
}

json to_json(const try_defect& d) {
  json entry = {{"defect", d.kind}};
  if (!d.place.file.empty()) entry["place"] = to_json(d.place);
  if (!d.other.file.empty()) entry["other_place"] = to_json(d.other);
  entry["detail"] = d.detail;
  entry["times"] = d.times;
  if (!d.where.empty()) entry["launch"] = d.where;
  return entry;
}

simt::counts counts_from(const json& j) {
  simt::counts c;
  c.shared_load = shared_from(j.at("shared_load"));
  c.shared_store = shared_from(j.at("shared_store"));
  c.global_load = global_from(j.at("global_load"));
  c.global_store = global_from(j.at("global_store"));
  c.divergent_branches = j.at("divergent_branches");
  c.barriers = j.at("barriers");
  return c;
}

try_run run_from(const json& j) {
  try_run run;
  run.n = j.at("n");
  run.grid = j.at("grid");
  run.order = orders_named(j.at("schedule")).front();
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

const char* to_string(simt::schedule order) {
  return orders[static_cast<std::size_t>(order)];
}

std::vector<simt::schedule> orders_named(const std::string& word) {
  std::vector<simt::schedule> list;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (word.empty() || word == "all" || word == orders[i]) {
      list.push_back(static_cast<simt::schedule>(i));
    }
  }
  if (list.empty()) {
    throw std::invalid_argument("--schedule " + word +
                                ": use all, forward, reverse, shuffled, lockstep");
  }
  return list;
}

}  // namespace onefold::ladder::learner
