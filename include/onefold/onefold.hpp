// SPDX-License-Identifier: Apache-2.0
// The front door: one line for one answer.
//
//   double s = onefold::sum(prices);                    exact, all cores
//   auto a = onefold::partial(onefold::op::sum, part);  a.merge(b);  a.value<float>();
#pragma once

#include <initializer_list>
#include <span>
#include <type_traits>

#include "onefold/accuracy.hpp"
#include "onefold/array_view.hpp"
#include "onefold/decimal.hpp"
#include "onefold/dtype.hpp"
#include "onefold/exact.hpp"
#include "onefold/executor.hpp"
#include "onefold/op.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"
#include "onefold/version.hpp"
#include "onefold/windows.hpp"

namespace onefold {

/// Reduces the views to one answer in `output`.
/// Shape:  one view of any rank and strides for `sum`; output a scalar of any numeric type that
///         can hold the answer (floating sums: a floating type).
/// Error:  exact: the true value of the stored elements, rounded once, ties to even.
///         fast: a plain tree of additions in f32 (f16, bf16, f32) or f64; integers wrap.
/// Order:  exact: none, no order of anything can change a bit. fast: that of the plan.
/// Fails:  mismatch, overflow, unsupported, out_of_memory, unsound_arithmetic; the output is
///         written only on ok.
status reduce(const executor& where, op what, std::initializer_list<array_view> views,
              output_view output, const options& how = {});

/// The same, as a value of type T.
template <element T>
result<T> try_reduce(const executor& where, op what, const array_view& x, const options& how = {}) {
  T value{};
  if (auto done = reduce(where, what, {x}, value, how); !done) return done;
  return value;
}

/// The state of the elements of x, to merge, store or finish elsewhere.
/// Fails: as reduce; unsupported for `fast`, which has no state.
result<state> try_partial(const executor& where, op what, const array_view& x);

inline state partial(op what, const array_view& x) {
  return try_partial(executor{}, what, x).value();
}

/// The states of parts as the state of the whole, whatever the order. Fails: mismatch.
inline state merge(state a, const state& b) {
  a.merge(b);
  return a;
}

/// The sum of x, correctly rounded to NumPy's type for it, on all cores.
template <element_range R>
auto try_sum(const R& x, const options& how = {})
    -> result<sum_type<std::remove_cv_t<std::ranges::range_value_t<R>>>> {
  using answer = sum_type<std::remove_cv_t<std::ranges::range_value_t<R>>>;
  return try_reduce<answer>(executor{}, op::sum, array_view(x), how);
}

/// As try_sum. Fails: throws onefold::error.
template <element_range R>
auto sum(const R& x, const options& how = {}) {
  return try_sum(x, how).value();
}

}  // namespace onefold
