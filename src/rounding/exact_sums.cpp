// SPDX-License-Identifier: Apache-2.0
// Rounds exact sums to answers: sums of elements, magnitudes, squares and products, and moments.
#include "rounding/round_state.hpp"

#include "rounding/errors.hpp"

namespace onefold {
namespace {

template <class State>
status write_as(op op, const State& from, const rounding_context& context, void* output,
                dtype type) {
  typename State::storage in;
  switch (write_exact(op, from, context.correction, output, type, in)) {
  case status_code::ok:
    return {};
  case status_code::overflow:
    return does_not_fit(op, type);
  default:
    return no_floating_form(op, context.input, type);
  }
}

template <class State>
status write_state(op op, const State& from, const rounding_context& context, void* output,
                   dtype type) {
  if constexpr (!integer_state<State> && requires { from.without_nans(); }) {
    if (context.nan == nan_policy::error && from.nan_count() > 0) return met_a_nan(op);
    if (context.nan == nan_policy::omit)
      return write_as(op, from.without_nans(), context, output, type);
  }
  return write_as(op, from, context, output, type);
}

}  // namespace

status round_exact_sum(op op, const any_state& from, const rounding_context& context, void* output,
                       dtype type) {
  return std::visit(
      [&]<class State>(const State& state) -> status {
        if constexpr (sum_state<State> || products_state<State> || moments_state<State>)
          return write_state(op, state, context, output, type);
        else
          return {status_code::mismatch, "a state of another operator"};
      },
      from);
}

}  // namespace onefold
