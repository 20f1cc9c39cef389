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
accumulator serving(op what, const op_list& all, accuracy how) {
  const accumulator own = accumulator_of(what);
  const bool sums = own == accumulator::total || own == accumulator::squares;
  const bool moments = std::any_of(
      all.begin(), all.end(), [](op each) { return accumulator_of(each) == accumulator::moments; });
  return sums && moments && how == accuracy::exact ? accumulator::moments : own;
}

}  // namespace

accumulation::accumulation(const op_list& what, dtype input, accuracy how) {
  for (const op each : what) {
    const accumulator serves = serving(each, what, how);
    const auto same = [&](const accumulator_state& known) { return known.what == serves; };
    if (std::any_of(accumulators_.begin(), accumulators_.end(), same)) continue;
    if (is_ordered(serves, how))
      accumulators_.push_back({serves, chunk_tree(empty_ordered_state(serves, input))});
    else
      accumulators_.push_back({serves, empty_state(serves, input)});
  }
}

void accumulation::push(const std::vector<ordered_state>& parts) {
  if (parts.empty()) return;
  auto part = parts.begin();
  for (accumulator_state& each : accumulators_)
    if (each.ordered()) std::get<chunk_tree>(each.value).push(*part++);
}

const accumulator_state& accumulation::of(op what) const {
  const accumulator own = accumulator_of(what);
  for (const accumulator_state& each : accumulators_)
    if (each.what == own) return each;
  // There is no accumulator of its own: moments serve the operator.
  return *std::find_if(accumulators_.begin(), accumulators_.end(),
                       [](const auto& each) { return each.what == accumulator::moments; });
}

status round_answer(const accumulation& from, op what, dtype input, const options& how,
                    void* output, dtype type) {
  const float_environment sound;
  if (how.nan_policy == nan_policy::error && from.dropped_nans() > 0) return met_a_nan(what);
  const rounding_context with = {input, how.nan_policy, how.correction, from.count()};
  const accumulator_state& state = from.of(what);
  if (const auto* tree = std::get_if<chunk_tree>(&state.value))
    return round_state(what, tree->value(), with, output, type);
  return round_state(what, std::get<any_state>(state.value), with, output, type);
}

result<state> state_of(const accumulation& from, op what, dtype input, const options& how) {
  if (how.accuracy == accuracy::fast)
    return status(status_code::unsupported, "a fast reduction has no state; ask for an exact one");
  if (auto fine = check_element_type(what, input); !fine) return fine;
  state made(what, input, how.first_index);
  const accumulator_state& known = from.of(what);
  if (const auto* commuting = std::get_if<any_state>(&known.value)) {
    if (known.what != accumulator_of(what))
      return status(status_code::unsupported, "moments stand in for " + std::string(name(what)) +
                                                  "; ask for its state alone");
    detail::state_access::known(made) = *commuting;
  } else {
    // The state of an exact reduction is an alternative of both variants.
    const auto keep = [&]<class Known>(const Known& whole) {
      if constexpr (std::is_constructible_v<any_state, Known>)
        detail::state_access::known(made) = whole;
    };
    std::visit(keep, std::get<chunk_tree>(known.value).value());
  }
  detail::state_access::paths(made) = from.paths();
  return made;
}

}  // namespace onefold
