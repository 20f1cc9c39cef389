// SPDX-License-Identifier: Apache-2.0
// What one thread knows of one reduction: pieces go in, a state comes out.
//
// The engine cuts, gathers and shares the data; a task sees contiguous pieces only. One call a
// piece of up to 64 Ki elements, so that the call itself costs nothing.
#pragma once

#include <cstdint>
#include <memory>

#include "onefold/op.hpp"
#include "onefold/state.hpp"
#include "state/ordered_state.hpp"

namespace onefold::cpu {

/// n contiguous elements, in cache or on their way there.
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

  /// Takes in a piece. Precondition: the thread is inside a float_environment.
  virtual void take(const piece& next) = 0;

  /// Adds all that was taken in to `into`, a state of the task's own family and type, and is as
  /// new afterwards.
  virtual void drain(any_state& into) = 0;

  /// Which ways all elements so far took; drain() leaves it as it is.
  virtual const path_counts& paths() const {
    static const path_counts none;
    return none;
  }
  /// Whether what was taken in decides the answer of `what` alone: an engine that wants nothing
  /// else of the state may stop. Its counts are then of the elements seen.
  virtual bool settled(op) const { return false; }
};

/// The same for states whose merge does not commute: every piece has a state of its own.
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
