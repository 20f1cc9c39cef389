// SPDX-License-Identifier: Apache-2.0
// The states of one answer: one for each accumulator that its operators need. Parts of the data
// make such states, in any engine; states merge; and an operator's answer is rounded from one of
// them.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "onefold/op_list.hpp"
#include "onefold/options.hpp"
#include "onefold/state.hpp"
#include "state/accumulator.hpp"
#include "state/chunk_tree.hpp"
#include "state/ordered_state.hpp"

namespace onefold {

/// The accumulators of a request, each once, in the order of the operators. Moments also serve the
/// sums and squares that are requested together with them.
std::vector<accumulator> accumulators_of(const op_list& ops, accuracy accuracy);

/// Which of them serves an operator of the request.
accumulator accumulator_serving(op op, std::span<const accumulator> accumulators);

/// The state of one accumulator: one that merges in any order, or a tree of states in order.
struct accumulator_state {
  onefold::accumulator accumulator;
  std::variant<any_state, chunk_tree> value;

  bool ordered() const { return std::holds_alternative<chunk_tree>(value); }
};

/// The states of the accumulators of a request, in their order.
class accumulation {
 public:
  accumulation() = default;
  accumulation(const op_list& ops, dtype input, accuracy accuracy);

  std::vector<accumulator_state>& accumulators() { return accumulators_; }
  const std::vector<accumulator_state>& accumulators() const { return accumulators_; }

  /// Appends the ordered states that a worker made of one piece.
  void push(const std::vector<ordered_state>& parts);

  /// Adds the states of other elements. Precondition: the same accumulators, none of them ordered.
  void merge(const accumulation& other);

  /// Elements that the ordered accumulators have added, and NaNs that were removed before.
  std::int64_t& count() { return count_; }
  std::int64_t count() const { return count_; }
  std::int64_t& dropped_nans() { return dropped_nans_; }
  std::int64_t dropped_nans() const { return dropped_nans_; }

  /// How many elements took which path, over all accumulators.
  detail::path_counts& paths() { return paths_; }
  const detail::path_counts& paths() const { return paths_; }

  /// The state that answers an operator. Precondition: the request has that operator.
  const accumulator_state& state_for(op op) const;

 private:
  std::vector<accumulator_state> accumulators_;
  detail::path_counts paths_;
  std::int64_t count_ = 0;
  std::int64_t dropped_nans_ = 0;
};

/// Writes one operator's answer. Fails: as round_state.
status round_answer(const accumulation& from, op op, dtype input, const options& options,
                    void* output, dtype type);

/// The state of one operator. Fails: unsupported (fast has no state).
result<state> state_of(const accumulation& from, op op, dtype input, const options& options);

}  // namespace onefold
