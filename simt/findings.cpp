// SPDX-License-Identifier: Apache-2.0
#include "simt/findings.hpp"

#include <algorithm>
#include <array>

namespace onefold::simt {
namespace {

constexpr std::array<const char*, defect_kinds> names = {
    "race",        "bounds",    "uninitialised", "divergent barrier",
    "no progress", "warp mask", "deadlock",      "asynchronous copy"};

location place_of(const site_table& sites, site_id site) {
  return site == no_site ? location{} : locate(sites.pc_of(site));
}

}  // namespace

const char* to_string(defect kind) {
  return names[static_cast<std::size_t>(kind)];
}

std::string finding::text() const {
  std::string line = std::string(to_string(kind)) + ": " + to_string(place);
  if (!other.file.empty()) line += " and " + to_string(other);
  line += ": " + detail;
  if (times > 1) line += " (" + std::to_string(times) + " times)";
  return line;
}

std::string* findings::add(defect kind, site_id site, site_id other) {
  occurrence& seen = seen_[{kind, site, other}];
  return ++seen.times == 1 ? &seen.detail : nullptr;
}

bool findings::any(defect kind) const {
  return places(kind) != 0;
}

std::uint64_t findings::places(defect kind) const {
  return static_cast<std::uint64_t>(
      std::count_if(seen_.begin(), seen_.end(),
                    [kind](const auto& entry) { return std::get<0>(entry.first) == kind; }));
}

std::vector<finding> findings::located(const site_table& sites) const {
  std::vector<finding> list;
  for (const auto& [key, seen] : seen_) {
    const auto [kind, site, other] = key;
    list.push_back({kind, place_of(sites, site), place_of(sites, other), seen.detail, seen.times});
  }
  std::stable_sort(list.begin(), list.end(), [](const finding& a, const finding& b) {
    return std::tie(a.kind, a.place, a.other) < std::tie(b.kind, b.place, b.other);
  });
  return list;
}

}  // namespace onefold::simt
