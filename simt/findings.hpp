// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is wrong with a kernel: each defect once, with its lines and how often it happened.

#include "simt/sites.hpp"
#include "simt/symbols.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace onefold::simt {

enum class defect : std::uint8_t {
  race,
  bounds,
  uninitialised,
  divergent_barrier,
  no_progress,
  warp_mask,
  deadlock,
  asynchronous_copy,
};

inline constexpr std::size_t defect_kinds = 8;

/// "race", "bounds", "uninitialised", "divergent barrier", "no progress", "warp mask", "deadlock",
/// "asynchronous copy".
const char* to_string(defect kind);

struct finding {
  defect kind;
  location place;
  location other;      ///< the second access of a race, the second barrier; may be empty
  std::string detail;  ///< of the first occurrence
  std::uint64_t times = 0;

  /// One line: defect, places, detail, times.
  std::string text() const;
};

class findings {
 public:
  /// Counts one occurrence; returns where to write its detail when it is the first, else null.
  std::string* add(defect kind, site_id site, site_id other = no_site);

  void clear() { seen_.clear(); }
  bool empty() const { return seen_.empty(); }
  bool any(defect kind) const;
  std::uint64_t places(defect kind) const;

  /// With files and lines, in order of defect and place: the same for every compiler and order of
  /// discovery.
  std::vector<finding> located(const site_table& sites) const;

 private:
  struct occurrence {
    std::string detail;
    std::uint64_t times = 0;
  };
  std::map<std::tuple<defect, site_id, site_id>, occurrence> seen_;
};

}  // namespace onefold::simt
