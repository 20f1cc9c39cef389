// SPDX-License-Identifier: Apache-2.0
// A task: the part of one reduction that one thread does. Pieces go in, a state comes out.
//
// The engine divides, gathers and schedules the data; a task gets contiguous pieces only. A call
// takes a piece of up to 64 Ki elements, so that the cost of the call is negligible.
#pragma once

#include <cstdint>

#include "onefold/op.hpp"
#include "onefold/state.hpp"
#include "state/ordered_state.hpp"

namespace onefold::cpu {

/// n contiguous elements, in cache or about to be.
struct piece {
  const void* x = nullptr;
  const void* y = nullptr;  ///< of the second view, for products
  std::int64_t n = 0;
  std::int64_t first_index = 0;  ///< the logical index of x[0] among the reduced elements
};

class task {
 public:
  task() = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  virtual ~task() = default;

  /// Adds a piece. Precondition: the thread is inside a float_environment.
  virtual void take(const piece& next) = 0;

  /// Merges everything that was added into `into`, a state of the task's own accumulator and type,
  /// and resets the task.
  virtual void drain(any_state& into) = 0;

  /// Which paths all elements so far took; drain() does not reset it.
  virtual const detail::path_counts& paths() const {
    static const detail::path_counts none;
    return none;
  }
  /// Whether the elements so far determine the answer of `what`: an engine that needs nothing else
  /// of the state may stop. Its counts then cover only the elements seen.
  virtual bool settled(op) const { return false; }
};

/// The same for states whose merge does not commute: every piece gives a state of its own.
class ordered_task {
 public:
  ordered_task() = default;
  ordered_task(const ordered_task&) = delete;
  ordered_task& operator=(const ordered_task&) = delete;
  virtual ~ordered_task() = default;

  /// The state of this piece alone. Precondition: as task::take.
  virtual ordered_state take(const piece& next) = 0;
};

}  // namespace onefold::cpu
