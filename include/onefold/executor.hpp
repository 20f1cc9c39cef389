// SPDX-License-Identifier: Apache-2.0
// Where the work runs.
#pragma once

#include <variant>

namespace onefold {

/// An engine and what it may use.
class executor {
 public:
  /// The best of what this machine has.
  struct automatic {
    friend bool operator==(const automatic&, const automatic&) = default;
  };

  /// This process' CPU threads.
  struct cpu {
    /// At most this many; 0: ONEFOLD_THREADS if set, else what affinity and the cgroup allow.
    int threads = 0;
    friend bool operator==(const cpu&, const cpu&) = default;
  };

  executor() noexcept = default;
  executor(automatic) noexcept {}                  // NOLINT: implicit by design
  executor(cpu where) noexcept : where_(where) {}  // NOLINT: implicit by design

  /// The number of CPU threads asked for, 0 for as many as there are.
  int threads() const noexcept {
    const auto* where = std::get_if<cpu>(&where_);
    return where ? where->threads : 0;
  }

  friend bool operator==(const executor&, const executor&) = default;

 private:
  std::variant<automatic, cpu> where_;
};

}  // namespace onefold
