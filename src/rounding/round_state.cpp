// SPDX-License-Identifier: Apache-2.0
// Dispatches a state to the rounding of its accumulator.
#include "rounding/round_state.hpp"

#include <type_traits>

#include "rounding/errors.hpp"
#include "rounding/fast.hpp"
#include "state/accumulator.hpp"

namespace onefold {
namespace {

// States of one value of any floating format, which they round themselves.
template <class State>
concept has_value = requires(State from) {
  from.nan_count();
  from.template value<double>(true);
};

template <has_value State>
status round_value(op op, const State& from, const rounding_context& context, void* output,
                   dtype type) {
  if (context.nan == nan_policy::error && from.nan_count() > 0) return met_a_nan(op);
  if constexpr (std::is_same_v<State, detail::product>)
    if (!is_floating(context.input)) return round_integer_product(from, context, output, type);
  return with_type(type, [&]<class Out>(detail::tag<Out>) -> status {
    if constexpr (std::is_integral_v<Out>)
      return no_floating_form(op, context.input, type);
    else
      return store(output, from.template value<Out>(context.nan == nan_policy::omit)), status();
  });
}

}  // namespace

status round_state(op op, const any_state& from, const rounding_context& context, void* output,
                   dtype type) {
  return std::visit(
      [&]<class State>(const State& known) {
        if constexpr (has_value<State>) return round_value(op, known, context, output, type);
        if (has_fast_form(accumulator_of(op)))
          return round_exact_sum(op, from, context, output, type);
        return round_selection(op, from, context, output, type);
      },
      from);
}

status round_state(op op, const ordered_state& from, const rounding_context& context, void* output,
                   dtype type) {
  return std::visit(
      [&]<class State>(const State& known) {
        if constexpr (has_value<State>) return round_value(op, known, context, output, type);
        return write_fast(from, {op, context.input, context.count, context.correction}, output,
                          type);
      },
      from);
}

}  // namespace onefold
