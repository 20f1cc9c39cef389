// SPDX-License-Identifier: Apache-2.0
#include "ladder/loop/rungs.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::uint64_t requests_of(const simt::counts& c) {
  return c.global_load.requests + c.global_store.requests;
}

}  // namespace

bool half_the_lanes(const evidence& e) {
  return 2 * std::uint64_t{e.current.grid} == e.previous->grid;
}

std::string lanes(const evidence& e) {
  const auto in_all = [](const trial& t) { return std::uint64_t{t.grid} * t.options.block; };
  return fmt::format("{} lanes, was {}", in_all(e.current), in_all(*e.previous));
}

bool fewer_requests(const evidence& e) {
  return requests_of(e.counts()) < requests_of(e.before());
}

std::string requests(const evidence& e) {
  return fmt::format("{} requests, was {}", requests_of(e.counts()), requests_of(e.before()));
}

bool branches_diverge(const evidence& e) {
  return e.counts().divergent_branches > 0;
}

std::string divergent_branches(const evidence& e) {
  return fmt::format("{} divergent branches", e.counts().divergent_branches);
}

std::vector<rung> loop_rungs() {
  return {
      loop_x1_rung(),
      loop_x2_rung(),
      loop_x4_rung(),
  };
}

}  // namespace onefold::ladder
