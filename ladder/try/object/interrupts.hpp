// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ctrl-C, a closed terminal or a polite kill, held back until the workshop is cleared away: the
// first object of its scope, so that it goes last and then delivers what came.

#include <csignal>

#include <array>

namespace onefold::ladder::learner {

class interrupts_held {
 public:
  interrupts_held();
  interrupts_held(const interrupts_held&) = delete;
  interrupts_held& operator=(const interrupts_held&) = delete;
  ~interrupts_held();

  /// Whether one came since the object was made.
  static bool any();

 private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace onefold::ladder::learner
