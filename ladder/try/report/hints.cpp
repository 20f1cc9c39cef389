// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/report/hints.hpp"

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
    {"too slow", "too slow: a launch of many lanes that share the work is checked sooner; or use a "
                 "smaller --n"},
    {"no progress", "no progress: does the variable of the loop change, and towards its end?"},
    {"NaN",
     "NaN: fmaxf and fminf take the number wherever it is; a comparison with < or > is false "
     "for a NaN on either side, so which one stays depends on the side"},
    {"stale variable",
     "stale variable: a __device__ variable keeps its value from launch to launch; "
     "let the last block set it back"},
};

bool any_detail(const try_report& report, const char* kind, std::string_view part) {
  return std::any_of(report.defects.begin(), report.defects.end(), [&](const try_defect& d) {
    return d.kind == kind && d.detail.find(part) != std::string::npos;
  });
}

constexpr const char* waits =
    "no progress: blocks run one after the other here, and on a device that is full; no block may "
    "wait for another, so end the kernel and launch the next, or let the last block to end go on";

std::string block_hint(const try_report& report, unsigned better) {
  const std::string why = "a tree that halves its block needs a power of two";
  if (better != 0) {
    return fmt::format("with --block {} it is right at n {}: {}", better, report.n, why);
  }
  return fmt::format("--block {}: {}; is there one?", to_string(report.block), why);
}

std::string bounds_hint(const try_report& report) {
  if (any_detail(report, "bounds", "dynamic shared memory")) {
    return "bounds: the launch gives one element a lane of dynamic shared memory; if the kernel "
           "needs more, say so with --shared BYTES";
  }
  if (any_detail(report, "bounds", "outside device memory")) {
    return "bounds: device memory is what the parameters point to, __shared__ arrays and "
           "__device__ variables; is the variable one of these?";
  }
  return "bounds: compare the index with the length before the access";
}

}  // namespace

std::vector<std::string> hints_for(const try_report& report, const session_result& session) {
  std::vector<std::string> hints;
  if (session.only_block) {
    hints.push_back(
        fmt::format("with blocks of {0} it is right: is there a {0}, or the half of it, "
                    "where blockDim.x belongs?",
                    *session.only_block));
  }
  if (session.better_block) hints.push_back(block_hint(report, *session.better_block));
  if (any_detail(report, "bounds", "")) hints.push_back(bounds_hint(report));
  for (const remedy& r : remedies) {
    if (!any_detail(report, r.kind, "")) continue;
    const bool waiting = any_detail(report, "no progress", "waits for another block");
    hints.emplace_back(r.kind == std::string_view("no progress") && waiting ? waits : r.text);
  }
  if (any_detail(report, "race", "no fences and atomics")) {
    hints.emplace_back("race between blocks: whoever reads what other blocks wrote has a "
                       "__threadfence() between its atomic and its reads, as each of them has one "
                       "between its writes and its atomic");
  }
  if (any_detail(report, "race", "a read and an atomic operation")) {
    hints.emplace_back("race of a read and an atomic operation: while lanes update a word by "
                       "atomics, it is read by one, too: atomicAdd(p, 0), also before a loop of "
                       "atomicCAS");
  }
  if (session.infinite_sum_is_nan) {
    hints.emplace_back(
        "the sum of elements with an infinity is a NaN, as a compensated sum gives it");
  }
  for (const std::string& name : session.cleared) {
    hints.push_back(fmt::format("the kernel reads '{}' before it writes it: its host must clear it "
                                "first, as was done here",
                                name));
  }
  return hints;
}

}  // namespace onefold::ladder::learner
