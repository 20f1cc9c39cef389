// SPDX-License-Identifier: Apache-2.0
// The answers of exact sums: of elements, of magnitudes, of squares, of products, and moments.
#include "finish/exact_sums.hpp"

#include <type_traits>

#include "finish/store.hpp"

namespace onefold {
namespace {

// The states by what they can answer.
template <class State>
concept moments_state = requires(const State& s) {
  s.template variance<double>(1);
};
template <class State>
concept products_state = requires(const State& s) {
  s.template root<double>();
};
template <class State>
concept sum_state = !moments_state<State> && requires(const State& s) {
  s.template mean<double>();
};
template <class State>
concept integer_state = requires(const State& s) {
  s.template fits<std::int64_t>();
};

template <class Out, class State>
status write_value(op what, const State& from, dtype input, void* output) {
  if constexpr (std::is_integral_v<Out> && !integer_state<State>) {
    return no_floating_form(what, input, dtype_of<Out>);
  } else if constexpr (std::is_same_v<Out, bool>) {
    return does_not_fit(what, dtype::boolean);
  } else {
    if constexpr (std::is_integral_v<Out>)
      if (!from.template fits<Out>()) return does_not_fit(what, dtype_of<Out>);
    store(output, from.template value<Out>());
    return {};
  }
}

// An answer that is a quotient or a root, of which integers have no form.
template <class Out, class Answer>
status write_floating(op what, dtype input, void* output, Answer&& answer) {
  if constexpr (std::is_integral_v<Out>)
    return no_floating_form(what, input, dtype_of<Out>);
  else
    return store(output, answer(detail::tag<Out>())), status();
}

template <class Out, sum_state State>
status write_answer(op what, const State& from, const finishing& how, void* output) {
  if (what != op::mean) return write_value<Out>(what, from, how.input, output);
  return write_floating<Out>(what, how.input, output,
                             [&]<class F>(detail::tag<F>) { return from.template mean<F>(); });
}

template <class Out, products_state State>
status write_answer(op what, const State& from, const finishing& how, void* output) {
  if (what != op::norm2) return write_value<Out>(what, from, how.input, output);
  return write_floating<Out>(what, how.input, output,
                             [&]<class F>(detail::tag<F>) { return from.template root<F>(); });
}

template <class Out, moments_state State>
status write_answer(op what, const State& from, const finishing& how, void* output) {
  if (what == op::sum || what == op::mean) return write_answer<Out>(what, from.sum(), how, output);
  if (what == op::sumsq || what == op::norm2)
    return write_answer<Out>(what, from.squares(), how, output);
  return write_floating<Out>(what, how.input, output, [&]<class F>(detail::tag<F>) {
    return what == op::var ? from.template variance<F>(how.correction)
                           : from.template deviation<F>(how.correction);
  });
}

template <class State>
status write_as(op what, const State& from, const finishing& how, void* output, dtype type) {
  return with_type(type, [&]<class Out>(detail::tag<Out>) {
    return write_answer<Out>(what, from, how, output);
  });
}

template <class State>
status write_state(op what, const State& from, const finishing& how, void* output, dtype type) {
  if constexpr (!integer_state<State> && requires { from.without_nans(); }) {
    if (how.nan == nan_policy::error && from.nan_count() > 0) return met_a_nan(what);
    if (how.nan == nan_policy::omit) return write_as(what, from.without_nans(), how, output, type);
  }
  return write_as(what, from, how, output, type);
}

}  // namespace

status finish_exact_sum(op what, const any_state& from, const finishing& how, void* output,
                        dtype type) {
  return std::visit(
      [&]<class State>(const State& state) -> status {
        if constexpr (sum_state<State> || products_state<State> || moments_state<State>)
          return write_state(what, state, how, output, type);
        else
          return {status_code::mismatch, "a state of another operator"};
      },
      from);
}

}  // namespace onefold
