// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/json.hpp"

namespace onefold::ladder {

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
      {"basic_blocks",
       {{"by_warps", t.blocks.by_warps},
        {"by_lanes", t.blocks.by_lanes},
        {"lanes_together", t.blocks.lanes_together()}}},
      {"findings", findings},
      {"verdict", t.verdict()}};
}

}  // namespace onefold::ladder
