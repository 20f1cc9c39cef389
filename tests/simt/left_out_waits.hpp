// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks that a test fails without any one wait, commit or barrier of a file of device code.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "simt/left_out.hpp"
#include "simt/symbols.hpp"

namespace onefold::simt::test {

/// A line of the source, in all kernels that it is inlined into.
struct left_out_wait {
  location place;
  wait_kind kind;
  bool operator<(const left_out_wait& other) const {
    return std::tie(place, kind) < std::tie(other.place, other.kind);
  }
};

inline const char* to_string(wait_kind kind) {
  constexpr const char* names[] = {
      "barrier of the block", "barrier of the warp", "commit",
      "wait for copies",      "wait at an mbarrier", "barrier of the cluster"};
  return names[static_cast<std::size_t>(kind)];
}

/// The line of `file` that leads to a wait; nowhere if none does.
inline location line_in(std::string_view file, std::uintptr_t pc) {
  for (const location& line : all_lines(pc))
    if (std::string_view(line.file).ends_with(file)) return line;
  return {};
}

/// How many failures there are without some waits.
template <class Check>
int failures_without(const std::set<std::uintptr_t>& sites, const Check& check) {
  testing::TestPartResultArray failures;
  all_waits.leave_out(sites);
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
    check();
  }
  all_waits.leave_out({});
  return failures.size();
}

/// Runs `check`, which must not fail, and runs it again without each line of `file` that waits,
/// which must make it fail. Lines of a kind in `together`, which stand in for one another, are left
/// out all at once. Returns which kinds there are.
template <class Check>
std::set<wait_kind> expect_every_wait_counts(std::string_view file, const Check& check,
                                             const std::set<wait_kind>& together = {}) {
  all_waits.watch();
  check();
  std::map<left_out_wait, std::set<std::uintptr_t>> waits;
  std::set<wait_kind> kinds;
  for (const auto& [pc, kind] : all_waits.seen()) {
    location line = line_in(file, pc);
    if (line.file.empty()) continue;
    if (together.count(kind) != 0) line.line = 0;
    waits[{line, kind}].insert(pc);
    kinds.insert(kind);
  }
  for (const auto& [wait, sites] : waits)
    EXPECT_GT(failures_without(sites, check), 0)
        << "nothing fails without the " << to_string(wait.kind) << " of " << to_string(wait.place);
  return kinds;
}

}  // namespace onefold::simt::test
