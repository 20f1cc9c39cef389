// SPDX-License-Identifier: Apache-2.0
// User-defined operators, run through the library's loops: threads, strides, axes, masks.
//
//   struct longest_run {                       the default constructor makes the identity
//     void add(int x) { … }                    adds the next element, in order
//     void merge(const longest_run& next) { … }  adds the part that directly follows this one
//   };
//   longest_run r = onefold::reduce_with(longest_run(), x);
//
// Elements arrive in logical order and parts are merged in that order: the operator must be
// associative, and need not be commutative. The split into parts depends on the shape alone, not on
// threads or the machine, so the bits are the same every time.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "onefold/array.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/functions.hpp"
#include "onefold/reduce.hpp"
#include "onefold/reducer.hpp"

namespace onefold {

/// The split of a view by walk(): the number of answers, and of the parts of each.
struct walk_shape {
  std::int64_t outputs = 0;
  std::int64_t parts = 0;
};

/// The split of a view by walk(), a function of its shape and of options::axes alone.
/// Fails: mismatch, usage, unsupported.
ONEFOLD_API result<walk_shape> walk_of(const array_view& x, const options& options = {});

/// Passes the elements of a view to `take`, piece by piece.
/// Shape:  any rank and strides; walk_of gives the number of answers and of the parts of each.
/// Order:  within a piece, and of the parts of an answer, row-major over the reduced axes; the
///         calls come in any order.
/// Fails:  mismatch, usage, unsupported, cancelled, out_of_memory; what `take` throws. Of the
///         options it takes axes, where, first_index, stop and progress; nan_policy, initial,
///         accuracy and keepdims, which the operator would have to know, are unsupported.
ONEFOLD_API status walk(const executor& executor, const array_view& x, const options& options,
                        const piece_taker& take);

namespace detail {

/// The states of all parts, merged: one for each answer, row-major.
template <class R, element T>
result<std::vector<R>> walk_with(const executor& executor, const R& identity, const array_view& x,
                                 const options& options) ONEFOLD_TRY {
  const auto shape = walk_of(x, options);
  if (!shape) return shape.why();
  std::vector<R> states(std::size_t(shape->outputs * shape->parts), identity);
  const auto take = [&](std::int64_t output, std::int64_t part, const void* piece, std::int64_t n,
                        std::int64_t) {
    R state = identity;
    for (std::int64_t i = 0; i < n; ++i) {
      T element;
      std::memcpy(&element, static_cast<const T*>(piece) + i, sizeof element);
      state.add(element);
    }
    states[std::size_t(output * shape->parts + part)] = std::move(state);
  };
  if (auto done = walk(executor, x, options, take); !done) return done;
  std::vector<R> answers(std::size_t(shape->outputs), identity);
  for (std::size_t i = 0; i < states.size(); ++i)
    answers[i / std::size_t(shape->parts)].merge(states[i]);
  return answers;
}
ONEFOLD_CATCH_NO_MEMORY

}  // namespace detail

/// The state of all elements of x.
/// Shape:  n contiguous elements.
/// Order:  that of the elements; parts of 65536 are merged in turn, for any number of threads.
/// Fails:  as walk; what the reducer throws.
template <class R, element_range X>
requires reducer<R, detail::element_of<X>> result<R> try_reduce_with(const R& identity, const X& x,
                                                                     const options& options = {})
ONEFOLD_TRY {
  if (auto fine = detail::check_no_axis_kept(array_view(x), options); !fine) return fine;
  auto states =
      detail::walk_with<R, detail::element_of<X>>(executor{}, identity, array_view(x), options);
  if (!states) return states.why();
  return std::move((*states)[0]);
}
ONEFOLD_CATCH_NO_MEMORY

/// As try_reduce_with. Fails: throws onefold::error.
template <class R, element_range X>
requires reducer<R, detail::element_of<X>> R reduce_with(const R& identity, const X& x,
                                                         const options& options = {}) {
  return try_reduce_with(identity, x, options).value();
}

/// One state for each index of the axes that are kept, row-major.
/// Shape:  any rank and strides.   Order:  as above, row-major over the reduced axes.
/// Fails:  as walk.
template <class R, element T>
requires reducer<R, T> result<std::vector<R>> try_reduce_with(const R& identity, const view<T>& x,
                                                              const axis_set& axes,
                                                              const options& options = {})
ONEFOLD_TRY {
  onefold::options of_axes = options;
  of_axes.axes = axes;
  return detail::walk_with<R, T>(executor{}, identity, x, of_axes);
}
ONEFOLD_CATCH_NO_MEMORY

/// As try_reduce_with. Fails: throws onefold::error.
template <class R, element T>
requires reducer<R, T> std::vector<R> reduce_with(const R& identity, const view<T>& x,
                                                  const axis_set& axes,
                                                  const options& options = {}) {
  return try_reduce_with(identity, x, axes, options).value();
}

}  // namespace onefold
