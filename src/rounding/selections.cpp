// SPDX-License-Identifier: Apache-2.0
// Writes the answers that need no rounding of sums: extrema, counts, bits. Reports what has none.
#include "rounding/round_state.hpp"

#include "rounding/errors.hpp"

namespace onefold {
namespace {

status status_of(status_code code, op op, dtype input, dtype type) {
  switch (code) {
  case status_code::ok:
    return {};
  case status_code::overflow:
    return does_not_fit(op, type);
  case status_code::empty:
    return no_value(op);
  case status_code::not_a_number:
    return met_a_nan(op);
  default:
    break;
  }
  if (type == dtype::boolean) return no_such_form(op, input, type, "another type");
  return no_floating_form(op, input, type);
}

template <class State>
concept selection_state = requires(const State& from, void* output) {
  write_selection<double>(op::min, from, nan_policy::omit, output, dtype::f64);
};

}  // namespace

status round_selection(op op, const any_state& from, const rounding_context& context, void* output,
                       dtype type) {
  return std::visit(
      [&]<class State>(const State& state) -> status {
        if constexpr (selection_state<State>)
          return with_type(context.input, [&]<class T>(detail::tag<T>) {
            return status_of(write_selection<T>(op, state, context.nan, output, type), op,
                             context.input, type);
          });
        return {status_code::mismatch, "a state of another operator"};
      },
      from);
}

status round_count(op op, std::int64_t answer, dtype input, void* output, dtype type) {
  return status_of(write_number(answer, output, type), op, input, type);
}

}  // namespace onefold
