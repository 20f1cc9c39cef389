// SPDX-License-Identifier: Apache-2.0
// Which accumulators a request needs, and how a thread's tasks feed them.
#include "runtime/accumulation.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "rounding/errors.hpp"
#include "rounding/round_state.hpp"
#include "runtime/float_environment.hpp"
#include "state/element_types.hpp"
#include "state/states.hpp"

namespace onefold {
namespace {

// The accumulator that answers an operator where all operators of `all` are requested together.
accumulator serving(op op, const op_list& all, accuracy accuracy) {
  const accumulator own = accumulator_of(op);
  const bool sums = own == accumulator::total || own == accumulator::squares;
  const bool moments = std::any_of(all.begin(), all.end(), [](onefold::op other) {
    return accumulator_of(other) == accumulator::moments;
  });
  return sums && moments && accuracy == accuracy::exact ? accumulator::moments : own;
}

}  // namespace

std::vector<accumulator> accumulators_of(const op_list& ops, accuracy accuracy) {
  std::vector<accumulator> accumulators;
  for (const op op : ops) {
    const accumulator serves = serving(op, ops, accuracy);
    if (std::find(accumulators.begin(), accumulators.end(), serves) == accumulators.end())
      accumulators.push_back(serves);
  }
  return accumulators;
}

accumulator accumulator_serving(op op, std::span<const accumulator> accumulators) {
  const accumulator own = accumulator_of(op);
  const bool there = std::find(accumulators.begin(), accumulators.end(), own) != accumulators.end();
  return there ? own : accumulator::moments;
}

accumulation::accumulation(const op_list& ops, dtype input, accuracy accuracy) {
  for (const accumulator kind : accumulators_of(ops, accuracy)) {
    if (is_ordered(kind, accuracy))
      accumulators_.push_back({kind, chunk_tree(empty_ordered_state(kind, input))});
    else
      accumulators_.push_back({kind, empty_state(kind, input)});
  }
}

void accumulation::push(const std::vector<ordered_state>& parts) {
  if (parts.empty()) return;
  auto part = parts.begin();
  for (accumulator_state& state : accumulators_)
    if (state.ordered()) std::get<chunk_tree>(state.value).push(*part++);
}

void accumulation::merge(const accumulation& other) {
  for (std::size_t i = 0; i < accumulators_.size(); ++i)
    std::visit(
        [&]<class Known>(Known& known) {
          const any_state& more = std::get<any_state>(other.accumulators_[i].value);
          if constexpr (requires { known.merge(known); }) known.merge(std::get<Known>(more));
        },
        std::get<any_state>(accumulators_[i].value));
  paths_ += other.paths_;
  dropped_nans_ += other.dropped_nans_;
}

const accumulator_state& accumulation::state_for(op op) const {
  const accumulator own = accumulator_of(op);
  for (const accumulator_state& state : accumulators_)
    if (state.accumulator == own) return state;
  // There is no accumulator of its own: moments serve the operator.
  return *std::find_if(accumulators_.begin(), accumulators_.end(),
                       [](const auto& state) { return state.accumulator == accumulator::moments; });
}

status round_answer(const accumulation& from, op op, dtype input, const options& options,
                    void* output, dtype type) {
  const float_environment sound;
  if (options.nan_policy == nan_policy::error && from.dropped_nans() > 0) return met_a_nan(op);
  const rounding_context with = {input, options.nan_policy, options.correction, from.count()};
  const accumulator_state& state = from.state_for(op);
  if (const auto* tree = std::get_if<chunk_tree>(&state.value))
    return round_state(op, tree->value(), with, output, type);
  return round_state(op, std::get<any_state>(state.value), with, output, type);
}

result<state> state_of(const accumulation& from, op op, dtype input, const options& options) {
  if (options.accuracy == accuracy::fast)
    return status(status_code::unsupported, "a fast reduction has no state; ask for an exact one");
  if (auto fine = check_element_type(op, input); !fine) return fine;
  state state(op, input, options.first_index);
  const accumulator_state& known = from.state_for(op);
  if (const auto* commuting = std::get_if<any_state>(&known.value)) {
    if (known.accumulator != accumulator_of(op))
      return status(status_code::unsupported,
                    "moments stand in for " + std::string(name(op)) + "; ask for its state alone");
    detail::state_access::known(state) = *commuting;
  } else {
    // The state of an exact reduction is an alternative of both variants.
    const auto keep = [&]<class Known>(const Known& whole) {
      if constexpr (std::is_constructible_v<any_state, Known>)
        detail::state_access::known(state) = whole;
    };
    std::visit(keep, std::get<chunk_tree>(known.value).value());
  }
  detail::state_access::paths(state) = from.paths();
  return state;
}

}  // namespace onefold
