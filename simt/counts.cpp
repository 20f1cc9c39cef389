// SPDX-License-Identifier: Apache-2.0
#include "simt/counts.hpp"

#include <algorithm>

namespace onefold::simt {
namespace {

void add(shared_counts& total, const shared_cost& cost) {
  ++total.requests;
  total.wavefronts += cost.wavefronts;
  total.conflicts += cost.wavefronts - cost.phases;
  total.worst_ways = std::max(total.worst_ways, cost.ways);
}

void add(global_counts& total, const global_cost& cost) {
  ++total.requests;
  total.sectors += cost.sectors;
  total.lines += cost.lines;
}

}  // namespace

shared_counts& shared_counts::operator+=(const shared_counts& more) {
  requests += more.requests;
  wavefronts += more.wavefronts;
  conflicts += more.conflicts;
  worst_ways = std::max(worst_ways, more.worst_ways);
  return *this;
}

global_counts& global_counts::operator+=(const global_counts& more) {
  requests += more.requests;
  sectors += more.sectors;
  lines += more.lines;
  return *this;
}

counts& counts::operator+=(const counts& more) {
  shared_load += more.shared_load;
  shared_store += more.shared_store;
  global_load += more.global_load;
  global_store += more.global_store;
  divergent_branches += more.divergent_branches;
  barriers += more.barriers;
  return *this;
}

void request_counter::request(const priced_request& priced) {
  const bool writes = priced.request.writes;
  if (priced.request.where == space::shared) {
    add(writes ? total_.shared_store : total_.shared_load, priced.shared);
  } else {
    add(writes ? total_.global_store : total_.global_load, priced.global);
  }
}

}  // namespace onefold::simt
