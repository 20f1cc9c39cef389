// SPDX-License-Identifier: Apache-2.0
// The general API: any operators, views and outputs. The named functions (functions.hpp) call it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "onefold/array_view.hpp"
#include "onefold/callbacks.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/op.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Reduces the views in one pass for all operators, and writes the answers of each to its output.
/// Shape:  views of one shape, any rank and strides: two for dot, else one. Each output has the
///         kept axes (answer_shape), and one more of extent 2 for minmax, contiguous. Outputs share
///         no bytes with views: elements may be read again after answers have been written.
/// Units:  those of the operator; var and sumsq have squared units.
/// Error:  exact: the true value of the stored elements, rounded once, ties to even. prod of floats
///         (a relative 2.02 n 2^-106 for n elements) and logsumexp (2^-51.8 for f64 and integers,
///         else 2^-29.8, absolute): within that bound, then rounded once. fast: a plain tree in f32
///         (f16, bf16, f32) or f64, sums within gamma_d sum |x|, d = 1029 + ceil(log2 c) for c
///         chunks of 65536; the others: docs/numerics/fast.md, intervals.md. Integers wrap.
/// Order:  exact: none, no order of any kind can change a bit. prod of floats: the canonical
///         order of the view. fast: docs/specification.md, section 3.
/// Fails:  mismatch, usage, unsupported, overflow, empty, not_a_number, cancelled, out_of_memory,
///         unsound_arithmetic. After overflow, empty, not_a_number and cancelled other answers may
///         have been written; after the others none.
/// Cost:   one read of the elements; memory for one state a thread.
/// Source: docs/numerics.md and its pages.
ONEFOLD_API status reduce(const executor& executor, const op_list& ops,
                          std::span<const array_view> views, std::span<const output_view> outputs,
                          const options& options = {});

/// The same for lists in braces.
inline status reduce(const executor& executor, const op_list& ops,
                     std::initializer_list<array_view> views,
                     std::initializer_list<output_view> outputs, const options& options = {}) {
  return reduce(executor, ops, std::span(views.begin(), views.size()),
                std::span(outputs.begin(), outputs.size()), options);
}

/// The same over the values that a function computes from the elements; they are never all stored.
/// Shape:  one view; `mapped` is the element type that is reduced.
/// Error, Order:  as reduce, of the mapped values.
/// Fails:  as reduce; what `map` throws.
ONEFOLD_API status reduce_mapped(const executor& executor, op op, const array_view& x, dtype mapped,
                                 const element_map& map, const output_view& output,
                                 const options& options = {});

/// One operator, one output. Fails: as reduce.
inline status reduce(const executor& executor, op op, std::initializer_list<array_view> views,
                     const output_view& output, const options& options = {}) {
  return reduce(executor, op_list(op), views, {output}, options);
}

/// The extents of the answers over a view: those of the kept axes, and 1 for each reduced axis
/// under options::keepdims.
ONEFOLD_API std::vector<std::int64_t> answer_shape(const array_view& x, const options& options);

namespace detail {

/// Whether a range of `length` elements has exactly the length of answers of this shape. Fails:
/// mismatch.
ONEFOLD_API status check_length(op op, std::span<const std::int64_t> shape, std::int64_t length);

}  // namespace detail

/// One view; the answers go to a contiguous range of the caller's in row-major order, the two of a
/// minmax next to each other. Fails: as reduce; mismatch (a range of another length).
template <contiguous_elements R>
requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>) status
    reduce(const executor& executor, op op, const array_view& x, R&& answers,
           const options& options = {})
ONEFOLD_TRY {
  using answer = std::ranges::range_value_t<R>;
  std::vector<std::int64_t> shape = answer_shape(x, options);
  if (answers_of(op) > 1) shape.push_back(answers_of(op));
  if (auto fine = detail::check_length(op, shape, std::int64_t(std::ranges::size(answers))); !fine)
    return fine;
  const output_view output(std::ranges::data(answers), dtype_of<answer>,
                           row_major(shape, std::int64_t(sizeof(answer))));
  return reduce(executor, op_list(op), {x}, {output}, options);
}
ONEFOLD_CATCH_NO_MEMORY

namespace detail {

/// The check of a call that returns one value. Fails: mismatch if the options keep an axis, even
/// one of extent 1.
ONEFOLD_API status check_no_axis_kept(const array_view& x, const options& options);

}  // namespace detail

/// Elements of other types: one error that names those that there are.
template <detail::not_elements X>
detail::refused_elements<X> reduce(const executor&, const op_list&, std::initializer_list<X>,
                                   const output_view&, const options& = {}) {
  return {};
}
template <detail::not_elements X>
detail::refused_elements<X> reduce(const executor&, const op_list&, std::initializer_list<X>,
                                   std::initializer_list<output_view>, const options& = {}) {
  return {};
}
template <detail::not_elements X, class R>
detail::refused_elements<X> reduce(const executor&, op, const X&, const R&, const options& = {}) {
  return {};
}

/// The same for one view, as a value of type T.
/// Shape:  all axes are reduced, by an operator with one answer.
/// Fails:  as reduce; mismatch if axes are kept, also by options::keepdims, or for minmax.
template <element T>
result<T> try_reduce(const executor& executor, op op, const array_view& x,
                     const options& options = {}) ONEFOLD_TRY {
  if (answers_of(op) != 1)
    return status(status_code::mismatch, "minmax has two answers; minmax() gives both");
  if (auto fine = detail::check_no_axis_kept(x, options); !fine) return fine;
  T value{};
  if (auto done = reduce(executor, op, {x}, value, options); !done) return done;
  return value;
}
ONEFOLD_CATCH_NO_MEMORY

/// The state of the elements of x, to merge, store or round elsewhere.
/// Shape:  any rank and strides; all axes are reduced.
/// Order:  none; prod: the canonical order.
/// Fails:  as reduce; unsupported for `fast`, which has no state, for an initial value, and if axes
///         are named or kept; mismatch for dot, which takes two views.
ONEFOLD_API result<state> try_partial(const executor& executor, op op, const array_view& x,
                                      const options& options = {});

/// The same of several views: two of one shape for dot, else one. A state of dot of two element
/// types has the type that holds both.
ONEFOLD_API result<state> try_partial(const executor& executor, op op,
                                      std::initializer_list<array_view> views,
                                      const options& options = {});

template <detail::not_elements X>
detail::refused_elements<X> try_partial(const executor&, op, const X&, const options& = {}) {
  return {};
}

/// As try_partial. Fails: throws onefold::error.
inline state partial(op op, const array_view& x, const options& options = {}) {
  return try_partial(executor{}, op, x, options).value();
}

inline state partial(op op, std::initializer_list<array_view> views, const options& options = {}) {
  return try_partial(executor{}, op, views, options).value();
}

template <detail::not_elements X>
detail::refused_elements<X> partial(op, const X&, const options& = {}) {
  return {};
}

/// The states of many answers, to merge with those of other parts of the array: passes that of each
/// answer to `take`, with the row-major index of the answer in answer_shape().
/// Shape:  as reduce; any axes are reduced.
/// Order:  as try_partial; `take` is called in no order.
/// Fails:  as reduce; unsupported for `fast`, an initial value, and on a GPU; what `take` throws.
/// Cost:   one read of the elements, and no memory for the states.
ONEFOLD_API status partials(const executor& executor, op op,
                            std::initializer_list<array_view> views, const state_taker& take,
                            const options& options = {});

namespace detail {

/// The states of many answers, in the row-major order of answer_shape(), and of an output that
/// write_answers() is to write. Fails: as partials; mismatch if the output has another shape.
ONEFOLD_API result<std::vector<state>>
answer_states(op op, const array_view& x, const output_view& output, const options& options);

/// Rounds such states to the output. Fails: as state::write.
ONEFOLD_API status write_answers(std::span<const state> states, const output_view& output,
                                 const options& options);

}  // namespace detail

/// Merges the states of two parts. Order, Fails: as state::try_merge; throws onefold::error.
inline state merge(state a, const state& b) {
  a.merge(b);
  return a;
}

}  // namespace onefold
