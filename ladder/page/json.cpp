// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/json.hpp"

namespace onefold::ladder {
namespace {

json shared_json(const simt::shared_counts& c) {
  return {{"requests", c.requests},
          {"wavefronts", c.wavefronts},
          {"conflicts", c.conflicts},
          {"worst_ways", c.worst_ways}};
}

json global_json(const simt::global_counts& c) {
  return {{"requests", c.requests}, {"sectors", c.sectors}, {"lines", c.lines}};
}

}  // namespace

json to_json(const simt::counts& c) {
  return {{"shared_load", shared_json(c.shared_load)},
          {"shared_store", shared_json(c.shared_store)},
          {"global_load", global_json(c.global_load)},
          {"global_store", global_json(c.global_store)},
          {"divergent_branches", c.divergent_branches},
          {"barriers", c.barriers},
          {"global_atomic", global_json(c.global_atomic)},
          {"shared_atomics", c.shared_atomics},
          {"shuffles", c.shuffles},
          {"votes", c.votes},
          {"matches", c.matches},
          {"reductions", c.reductions},
          {"syncwarps", c.syncwarps},
          {"fences", c.fences}};
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

json to_json(const trial& t) {
  json findings = json::array();
  for (const simt::finding& f : t.findings) findings.push_back(to_json(f));
  return {
      {"launch", to_json(t.options)},
      {"launches", t.launches},
      {"grid", t.grid},
      {"answer", t.answer},
      {"expected", t.expected},
      {"right", t.right},
      {"reads", {{"never", t.reads.never}, {"once", t.reads.once}, {"more", t.reads.repeatedly}}},
      {"counts", to_json(t.counts)},
      {"findings", findings},
      {"verdict", t.verdict()}};
}

}  // namespace onefold::ladder
