// SPDX-License-Identifier: Apache-2.0
// The states of one answer: one for each family that the operators need, and the tasks that fill
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "cpu/task.hpp"
#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "state/chunk_tree.hpp"
#include "state/family.hpp"

namespace onefold::cpu {

/// What is known of one family: a state that commutes, or a tree of states in order.
struct family_state {
  family what;
  std::variant<any_state, chunk_tree> value;

  bool ordered() const { return std::holds_alternative<chunk_tree>(value); }
};

/// The families of a request, each once. Moments stand in for sums and squares beside them.
class accumulation {
 public:
  accumulation() = default;
  accumulation(const op_list& what, dtype input, accuracy how);

  std::vector<family_state>& families() { return families_; }
  const std::vector<family_state>& families() const { return families_; }

  /// Appends what a worker made of one piece for the ordered families.
  void push(const std::vector<ordered_state>& parts);

  /// Elements taken in by the ordered families, and NaNs that were taken out before.
  std::int64_t& count() { return count_; }
  std::int64_t count() const { return count_; }
  std::int64_t& dropped_nans() { return dropped_nans_; }
  std::int64_t dropped_nans() const { return dropped_nans_; }

  /// Which ways the elements took, of all families together.
  path_counts& paths() { return paths_; }
  const path_counts& paths() const { return paths_; }

  /// The state that answers an operator. Precondition: it is one of the request's.
  const family_state& of(op what) const;

 private:
  std::vector<family_state> families_;
  path_counts paths_;
  std::int64_t count_ = 0;
  std::int64_t dropped_nans_ = 0;
};

/// The tasks of one thread, in the order of the accumulation's families.
class worker {
 public:
  worker(const accumulation& of, dtype input, accuracy how);

  /// Takes in a piece; what ordered families made of it goes to `parts`, an entry each.
  void take(const piece& next, std::vector<ordered_state>& parts);

  /// Adds what the tasks of commuting families took in. Not thread-safe.
  void drain(accumulation& into);

  /// NaNs that a reader took out of what take() saw.
  void note_dropped(std::int64_t nans) { dropped_nans_ += nans; }

 private:
  struct slot {
    std::unique_ptr<task> commuting;
    std::unique_ptr<ordered_task> ordered;
    path_counts told;  // of the commuting task, when it was last drained
  };
  std::vector<slot> slots_;
  std::int64_t count_ = 0;
  std::int64_t dropped_nans_ = 0;
};

/// Whether a family's parts have an order under an accuracy.
bool is_ordered(family what, dtype input, accuracy how);

}  // namespace onefold::cpu
