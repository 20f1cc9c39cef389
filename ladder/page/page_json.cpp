// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/page_json.hpp"

#include "ladder/page/json.hpp"
#include "ladder/page/lines.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/machine_code.hpp"
#include "ladder/rung/sources.hpp"

namespace onefold::ladder {
namespace {

template <class Item>
json array_of(const std::vector<Item>& items, json (*one)(const Item&)) {
  json list = json::array();
  for (const Item& item : items) list.push_back(one(item));
  return list;
}

json optional_text(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

json change_json(const code_change& c) {
  return {{"before", c.before}, {"after", c.after}};
}

json printed_json(const printed_as& p) {
  return {{"document", p.document}, {"citation", citation(p.document)}, {"step", p.step}};
}

json claim_json(const claim_line& c) {
  return {{"says", c.says},
          {"so", to_string(c.state)},
          {"counted", c.counted},
          {"measured", optional_text(c.measured)}};
}

json counter_json(const counter_line& c) {
  return {{"name", c.name},
          {"executor", c.executor},
          {"hardware", c.hardware ? json(*c.hardware) : json(nullptr)}};
}

json time_json(const time_line& t) {
  return {{"n", t.n},
          {"median_us", t.median_us},
          {"share_of_plain_reading", t.share ? json(*t.share) : json(nullptr)}};
}

json step_json(const lane_step& s) {
  json lanes = json::array();
  for (std::size_t lane = 0; lane < s.working.size(); ++lane) {
    if (s.working[lane]) lanes.push_back(lane);
  }
  return {{"step", s.name},
          {"distance", s.distance ? json(*s.distance) : json(nullptr)},
          {"storing_lanes", lanes},
          {"load_wavefronts", s.wavefronts},
          {"ideal_load_wavefronts", s.ideal},
          {"worst_ways", s.ways}};
}

json request_json(const drawn_request& r) {
  json lanes = json::array(), offsets = json::array();
  for (unsigned lane = 0; lane < simt::max_warp_lanes; ++lane) {
    if ((r.addresses.lanes >> lane & 1) == 0) continue;
    lanes.push_back(lane);
    offsets.push_back(r.addresses.offset[lane]);
  }
  json entry = {{"space", r.where == simt::space::shared ? "shared" : "global"},
                {"access", r.writes ? "store" : "load"},
                {"step", r.step},
                {"warp", r.warp},
                {"place", to_json(r.place)},
                {"buffer", optional_text(r.buffer)},
                {"bytes_a_lane", r.addresses.size_bytes},
                {"lanes", lanes},
                {"offsets", offsets}};
  if (r.where == simt::space::shared) {
    entry["wavefronts"] = r.shared.wavefronts;
    entry["ideal_wavefronts"] = r.shared.phases;
    entry["ways"] = r.shared.ways;
  } else {
    entry["sectors"] = r.global.sectors;
    entry["ideal_sectors"] = r.ideal_sectors;
    entry["lines"] = r.global.lines;
  }
  return entry;
}

json drawing_json(const block_drawing& d) {
  const auto one = [](const std::optional<drawn_request>& r) {
    return r ? request_json(*r) : json(nullptr);
  };
  return {{"steps", array_of(d.steps, step_json)},
          {"worst_shared_request", one(d.worst_shared)},
          {"worst_global_request", one(d.worst_global)},
          {"first_global_loads", array_of(d.first_loads, request_json)},
          {"first_global_stores", array_of(d.first_stores, request_json)}};
}

json cell_json(const cell& c) {
  return {{"memory", c.memory}, {"index", c.index}};
}

json fold_json(const fold& f) {
  return {{"step", f.step},        {"lane", f.thread},
          {"warp", f.warp},        {"from", array_of(f.from, cell_json)},
          {"to", cell_json(f.to)}, {"holds", f.holds}};
}

json check_json(const check_line& c) {
  return {{"at", c.at}, {"verdict", c.verdict}};
}

json hardware_json(const page& p) {
  if (p.recorded == nullptr) return nullptr;
  return {{"machine", recorded().machine},
          {"source", recorded().source},
          {"instructions", p.recorded->instructions},
          {"active_lanes", p.recorded->active_lanes},
          {"lanes_not_predicated_off", p.recorded->lanes_not_predicated_off}};
}

json optional_number(const std::optional<std::uint64_t>& number) {
  return number ? json(*number) : json(nullptr);
}

json access_json(const access_row& row) {
  return {{"access", row.access},
          {"requests", row.requests},
          {"wavefronts", optional_number(row.wavefronts)},
          {"conflicts", optional_number(row.conflicts)},
          {"sectors", optional_number(row.sectors)}};
}

json line_json(const source_line& line) {
  return {{"place", to_json(line.place)},
          {"code", optional_text(line.code)},
          {"accesses", array_of(access_rows(line.counts), access_json)},
          {"instructions", line.instructions == 0 ? json(nullptr) : json(line.instructions)}};
}

json excerpt_json(const code_excerpt& e) {
  return {
      {"type", to_string(e.type)}, {"place", to_json(e.place)}, {"code", e.code},
      {"explains", e.explains},    {"left_out", e.left_out},    {"instructions", e.instructions}};
}

json to_json(const page& p) {
  const rung& r = *p.subject;
  return {{"rung", r.name},
          {"title", r.title},
          {"idea", r.idea},
          {"published", r.published},
          {"previous", optional_text(std::string(r.previous))},
          {"file", r.file},
          {"changes", array_of(r.changes, change_json)},
          {"diff", optional_text(p.diff)},
          {"printed_as", array_of(r.printed, printed_json)},
          {"verdict", r.under_executor() ? p.outcome.verdict() : std::string(r.verdict)},
          {"gpu_only", optional_text(std::string(r.gpu_only))},
          {"compiler_says", optional_text(std::string(r.compiler_says))},
          {"trial", r.under_executor() ? to_json(p.outcome) : json(nullptr)},
          {"claims", array_of(p.claims, claim_json)},
          {"hardware", hardware_json(p)},
          {"counters", array_of(p.counters, counter_json)},
          {"lines", array_of(p.lines, line_json)},
          {"machine_code",
           {{"source", machine_code_source()}, {"excerpts", array_of(p.excerpts, excerpt_json)}}},
          {"times", array_of(p.times, time_json)},
          {"block_0", drawing_json(p.drawing)},
          {"tree",
           {{"launch", to_json(p.tree.options)},
            {"in_registers", p.tree.in_registers},
            {"folds", array_of(p.tree.folds, fold_json)}}},
          {"schedules_n", p.schedules_n},
          {"schedules", array_of(p.schedules, check_json)},
          {"lengths", array_of(p.lengths, check_json)},
          {"appendix", optional_text(p.appendix)},
          {"as_expected", p.as_expected()}};
}

}  // namespace

std::string page_json(const page& p) {
  const json answer = {{"schema", 1}, {"page", to_json(p)}};
  return answer.dump(2) + "\n";
}

std::string pages_json(const std::vector<page>& pages) {
  json list = json::array();
  for (const page& p : pages) list.push_back(to_json(p));
  const json answer = {{"schema", 1}, {"pages", list}};
  return answer.dump() + "\n";
}

}  // namespace onefold::ladder
