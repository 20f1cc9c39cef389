// SPDX-License-Identifier: Apache-2.0
#include "ladder/json/simt.hpp"

#include <utility>

namespace onefold::ladder {
namespace {

using simt::counts;

constexpr std::pair<const char*, std::uint64_t counts::*> single_counts[] = {
    {"divergent_branches", &counts::divergent_branches},
    {"barriers", &counts::barriers},
    {"shared_atomics", &counts::shared_atomics},
    {"shuffles", &counts::shuffles},
    {"votes", &counts::votes},
    {"matches", &counts::matches},
    {"reductions", &counts::reductions},
    {"syncwarps", &counts::syncwarps},
    {"fences", &counts::fences}};

constexpr std::pair<const char*, simt::shared_counts counts::*> of_shared_memory[] = {
    {"shared_load", &counts::shared_load},
    {"shared_store", &counts::shared_store},
    {"shared_atomic", &counts::shared_atomic}};

constexpr std::pair<const char*, simt::global_counts counts::*> of_global_memory[] = {
    {"global_load", &counts::global_load},
    {"global_store", &counts::global_store},
    {"global_atomic", &counts::global_atomic}};

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
  json entry = json::object();
  for (const auto& [name, member] : of_shared_memory) entry[name] = shared_json(c.*member);
  for (const auto& [name, member] : of_global_memory) entry[name] = global_json(c.*member);
  for (const auto& [name, member] : single_counts) entry[name] = c.*member;
  return entry;
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

simt::counts counts_from(const json& j) {
  simt::counts c;
  for (const auto& [name, member] : of_shared_memory) {
    const json& s = j.at(name);
    c.*member = {s.at("requests"), s.at("wavefronts"), s.at("conflicts"), s.at("worst_ways")};
  }
  for (const auto& [name, member] : of_global_memory) {
    const json& g = j.at(name);
    c.*member = {g.at("requests"), g.at("sectors"), g.at("lines")};
  }
  for (const auto& [name, member] : single_counts) c.*member = j.at(name);
  return c;
}

simt::location location_from(const json& j) {
  return {j.at("file").get<std::string>(), j.at("line")};
}

simt::finding finding_from(const json& j) {
  simt::finding f{};
  const std::string kind = j.at("defect");
  for (std::size_t k = 0; k < simt::defect_kinds; ++k) {
    const auto one = static_cast<simt::defect>(k);
    if (kind == simt::to_string(one)) f.kind = one;
  }
  f.place = location_from(j.at("place"));
  if (j.contains("other_place")) f.other = location_from(j.at("other_place"));
  f.detail = j.at("detail");
  f.times = j.at("times");
  return f;
}

}  // namespace onefold::ladder
