// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/hints.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

struct remedy {
  const char* kind;
  const char* text;
};

constexpr remedy remedies[] = {
    {"race", "race: lanes that share a word need a barrier between its uses: __syncthreads() for a "
             "block, __syncwarp() for a warp, an atomic for blocks"},
    {"divergent barrier", "divergent barrier: every lane of the block comes to the same "
                          "__syncthreads(), so none may stand in an if or behind a return"},
    {"uninitialised", "uninitialised: every lane of a block stores, idle ones the operator's "
                      "identity, before any lane loads"},
    {"wrong operator", "wrong operator: does the line fold with the operator that --op names?"},
    {"wrong identity", "wrong identity: a lane without an element holds the value that changes "
                       "nothing, and so does a variable before the first element"},
    {"crash", "crash: check the indices, the divisors and the calls up to there"},
    {"no progress", "no progress: does the variable of the loop change, and towards its end?"},
};

bool any_detail(const try_report& report, const char* kind, std::string_view part) {
  return std::any_of(report.defects.begin(), report.defects.end(), [&](const try_defect& d) {
    return d.kind == kind && d.detail.find(part) != std::string::npos;
  });
}

std::string bounds_hint(const try_report& report) {
  if (any_detail(report, "bounds", "dynamic shared memory")) {
    return "bounds: the launch gives one element a lane of dynamic shared memory; if the kernel "
           "needs more, say so with --shared BYTES";
  }
  if (any_detail(report, "bounds", "outside device memory")) {
    return "bounds: device memory is what the parameters point to and __shared__ arrays; "
           "__device__ variables are not known here, pass a pointer instead";
  }
  return "bounds: compare the index with the length before the access";
}

}  // namespace

std::vector<std::string> hints_for(const try_report& report, const session_result& session) {
  std::vector<std::string> hints;
  if (session.better_grid) {
    hints.push_back(
        fmt::format("with --grid {} it is right at n {}: does a lane take two elements?",
                    *session.better_grid, report.n));
  }
  if (any_detail(report, "bounds", "")) hints.push_back(bounds_hint(report));
  for (const remedy& r : remedies) {
    if (any_detail(report, r.kind, "")) hints.emplace_back(r.text);
  }
  for (const std::string& name : session.cleared) {
    hints.push_back(fmt::format("the kernel reads '{}' before it writes it: its host must clear it "
                                "first, as was done here",
                                name));
  }
  if (!session.takes_length && !session.type.empty()) {
    hints.emplace_back("the kernel takes no length, so only whole blocks were tried");
  }
  return hints;
}

}  // namespace onefold::ladder::learner
