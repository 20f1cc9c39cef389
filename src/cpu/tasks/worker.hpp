// SPDX-License-Identifier: Apache-2.0
// The tasks of one thread: one for each accumulator of an answer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/tasks/task.hpp"
#include "runtime/accumulation.hpp"

namespace onefold::cpu {

/// The tasks of one thread, in the order of the accumulators.
class worker {
 public:
  worker(const accumulation& accumulation, dtype input, accuracy accuracy);

  /// Adds a piece; appends its ordered states to `parts`, one for each ordered accumulator.
  void take(const piece& next, std::vector<ordered_state>& parts);

  /// Merges the commuting states of this worker into `into`. Not thread-safe.
  void drain(accumulation& into);

  /// Counts NaNs that a reader removed before take().
  void note_dropped(std::int64_t nans) { dropped_nans_ += nans; }

 private:
  struct slot {
    std::unique_ptr<task> commuting;
    std::unique_ptr<ordered_task> ordered;
    detail::path_counts last_drained;  // the counts of the commuting task then
  };
  std::vector<slot> slots_;
  std::int64_t count_ = 0;
  std::int64_t dropped_nans_ = 0;
};

}  // namespace onefold::cpu
