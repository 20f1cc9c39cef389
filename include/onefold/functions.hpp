// SPDX-License-Identifier: Apache-2.0
// The operators as named functions: sum(x), mean(x, axis(0)), try_max(x) …
//
// Each name is a function object; the try_ version returns a result, the other throws
// onefold::error. A call with an axis_set returns an array of answers, one without a single answer.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "onefold/array.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/reduce.hpp"

namespace onefold {

namespace detail {

/// Wraps a caller's function of one element as a function of n elements.
template <element From, element To, class Map>
element_map map_of(const Map& map) {
  return [&map](const void* input, std::int64_t n, void* output) {
    for (std::int64_t i = 0; i < n; ++i) {
      From x;
      std::memcpy(&x, static_cast<const std::byte*>(input) + i * std::int64_t(sizeof x), sizeof x);
      const To y = map(x);
      std::memcpy(static_cast<std::byte*>(output) + i * std::int64_t(sizeof y), &y, sizeof y);
    }
  };
}

template <element_iterator I, std::sized_sentinel_for<I> S>
array_view view_of(I first, S last) noexcept {
  return {std::to_address(first), static_cast<std::size_t>(last - first)};
}

/// The answer over up to 64 contiguous floats or doubles, with the bits that reduce() gives, where
/// `options` are default_options(). False: nothing is written, and reduce() has to decide. y: of
/// dot; else x. The answer has their type.
ONEFOLD_API bool reduce_span(op op, const array_view& x, const array_view& y,
                             const options& options, void* answer) noexcept;

template <op Op, class T>
inline constexpr bool may_be_span =
    answers_of(Op) == 1 &&
    std::conjunction_v<std::is_floating_point<T>, std::is_same<answer_type<Op, T>, T>>;

/// What the functions return whose names begin with try_, and how.
struct as_result {
  template <class T>
  using type = result<T>;
  template <class T>
  static result<T> from(result<T> answer) {
    return answer;
  }
};

/// The same of the others. Fails: throws onefold::error.
struct as_value {
  template <class T>
  using type = T;
  template <class T>
  static T from(result<T> answer) {
    return std::move(answer).value();
  }
};

/// A reduction of one view, called by name. It calls reduce() with the default_output() types. The
/// overload with a map calls reduce_mapped().
/// Shape:  x one axis (a range; first and last; a pointer and a number of elements), two (a matrix
///         of Eigen's), or any rank and strides (a view). Without an axis_set all axes are reduced
///         to one value, and none may be kept; with one, also all_axes, to an array of
///         answer_shape().
/// Units:  those of the elements; squared for sumsq, dot, var; an index for positions.
/// Error, Order, Fails:  as reduce.
template <op Op, class Return = as_value>
struct reduction {
  template <element_range R>
  auto operator()(const R& x, const options& options = default_options()) const {
    return one<element_of<R>>(x, options);
  }
  template <element_iterator I, std::sized_sentinel_for<I> S>
  auto operator()(I first, S last, const options& options = default_options()) const {
    return one<std::iter_value_t<I>>(view_of(first, last), options);
  }
  template <element T, std::integral N>
  auto operator()(const T* data, N n, const options& options = default_options()) const {
    return one<T>(array_view(data, static_cast<std::size_t>(n)), options);
  }
  template <element T>
  auto operator()(const view<T>& x, const options& options = default_options()) const {
    return one<T>(x, options);
  }
  template <element T>
  auto operator()(const view<T>& x, const axis_set& axes,
                  const options& options = default_options()) const {
    return Return::from(many<T>(x, axes, options));
  }
  /// The reduction of map(element) over all elements, in one pass, with the bits of the mapped
  /// values' answer. `map` is called from several threads at a time. Fails: as reduce_mapped.
  template <element_range R, std::regular_invocable<element_of<R>> Map>
  auto operator()(const R& x, const Map& map, const options& options = default_options()) const {
    using mapped = std::remove_cvref_t<std::invoke_result_t<const Map&, element_of<R>>>;
    return Return::from(one_mapped<element_of<R>, mapped>(array_view(x), map, options));
  }
  template <not_elements X>
  refused_elements<X> operator()(const X&, const options& = default_options()) const {
    return {};
  }
  template <not_elements X, class Y>
  refused_elements<X> operator()(const X&, const Y&, const options& = default_options()) const {
    return {};
  }

 private:
  template <element T>
  static auto one(const array_view& x, const options& options) ->
      typename Return::template type<answer_type<Op, T>> {
    if constexpr (may_be_span<Op, T>) {
      T answer;
      if (reduce_span(Op, x, x, options, &answer)) return answer;
    }
    return Return::from(try_reduce<answer_type<Op, T>>(executor{}, Op, x, options));
  }
  template <element T, element Mapped, class Map>
  static auto one_mapped(const array_view& x, const Map& map, const options& options)
      -> result<answer_type<Op, Mapped>> ONEFOLD_TRY {
    if (auto fine = check_no_axis_kept(x, options); !fine) return fine;
    answer_type<Op, Mapped> value{};
    if (auto done = reduce_mapped(executor{}, Op, x, dtype_of<Mapped>, map_of<T, Mapped>(map),
                                  value, options);
        !done)
      return done;
    return value;
  }
  ONEFOLD_CATCH_NO_MEMORY
  template <element T>
  static auto many(const array_view& x, const axis_set& axes, const options& options)
      -> result<array<answer_type<Op, T>>> ONEFOLD_TRY {
    using answer = answer_type<Op, T>;
    onefold::options of_axes = options;
    of_axes.axes = axes;
    // Errors in the axes are reported before memory is allocated.
    if (auto plan = make_plan(executor{}, Op, {x}, of_axes); !plan) return plan.why();
    array<answer> answers(answer_shape(x, of_axes));
    const output_view output(answers.data(), dtype_of<answer>, answers.axes());
    if (auto done = reduce(executor{}, Op, {x}, output, of_axes); !done) return done;
    return answers;
  }
  ONEFOLD_CATCH_NO_MEMORY
};

template <op Op>
using try_reduction = reduction<Op, as_result>;

/// The dot product of x and y, in the type of the first one's sum: of two ranges, of a range from
/// `first` to `last` and as many elements from `second` on, or of n elements each.
/// Shape:  n elements each, or two matrices of Eigen's of one shape.
/// Units:  those of x times those of y.
/// Error, Order:  as reduce.
/// Fails:  mismatch (lengths), unsupported (element types without a common type), and as reduce.
template <class Return = as_value>
struct dot_product {
  template <element_range X, element_range Y>
  auto operator()(const X& x, const Y& y, const options& options = default_options()) const {
    return one<element_of<X>>(x, y, options);
  }
  template <element_iterator I, std::sized_sentinel_for<I> S, element_iterator J>
  auto operator()(I first, S last, J second, const options& options = default_options()) const {
    return one<std::iter_value_t<I>>(view_of(first, last), view_of(second, second + (last - first)),
                                     options);
  }
  template <element X, element Y, std::integral N>
  auto operator()(const X* x, const Y* y, N n, const options& options = default_options()) const {
    const auto count = static_cast<std::size_t>(n);
    return one<X>(array_view(x, count), array_view(y, count), options);
  }
  template <not_elements X, class Y>
  refused_elements<X> operator()(const X&, const Y&, const options& = default_options()) const {
    return {};
  }
  template <element_range X, not_elements Y>
  refused_elements<Y> operator()(const X&, const Y&, const options& = default_options()) const {
    return {};
  }

 private:
  template <element T>
  static auto one(const array_view& x, const array_view& y, const options& options) ->
      typename Return::template type<answer_type<op::dot, T>> {
    if constexpr (may_be_span<op::dot, T>) {
      T answer;
      if (reduce_span(op::dot, x, y, options, &answer)) return answer;
    }
    return Return::from(reduced<answer_type<op::dot, T>>(x, y, options));
  }
  template <class Answer>
  static auto reduced(const array_view& x, const array_view& y, const options& options)
      -> result<Answer> ONEFOLD_TRY {
    if (auto fine = check_no_axis_kept(x, options); !fine) return fine;
    Answer answer{};
    if (auto done = reduce(executor{}, op::dot, {x, y}, answer, options); !done) return done;
    return answer;
  }
  ONEFOLD_CATCH_NO_MEMORY
};

/// The minimum and the maximum, both NaN if a NaN counts; -0 is less than +0.
/// Shape:  n > 0 elements, or an initial value.
/// Error:  none.   Order:  none.
/// Fails:  empty, and as reduce.
template <class Return = as_value>
struct both_extrema {
  template <element_range R>
  auto operator()(const R& x, const options& options = default_options()) const {
    return Return::from(one<element_of<R>>(x, options));
  }
  template <element_iterator I, std::sized_sentinel_for<I> S>
  auto operator()(I first, S last, const options& options = default_options()) const {
    return Return::from(one<std::iter_value_t<I>>(view_of(first, last), options));
  }
  template <element T, std::integral N>
  auto operator()(const T* data, N n, const options& options = default_options()) const {
    return Return::from(one<T>(array_view(data, static_cast<std::size_t>(n)), options));
  }
  template <not_elements X>
  refused_elements<X> operator()(const X&, const options& = default_options()) const {
    return {};
  }

 private:
  template <element T>
  static auto one(const array_view& x, const options& options)
      -> result<std::pair<T, T>> ONEFOLD_TRY {
    if (auto fine = check_no_axis_kept(x, options); !fine) return fine;
    T answers[2] = {};
    const output_view output(answers, dtype_of<T>, {{2, std::int64_t(sizeof(T))}});
    if (auto done = reduce(executor{}, op::minmax, {x}, output, options); !done) return done;
    return std::pair(answers[0], answers[1]);
  }
  ONEFOLD_CATCH_NO_MEMORY
};

}  // namespace detail

/// Each as detail::reduction: a value, or an array of values. Fails: throws onefold::error.
inline constexpr detail::reduction<op::sum> sum;
inline constexpr detail::reduction<op::mean> mean;
inline constexpr detail::reduction<op::norm1> norm1;
inline constexpr detail::reduction<op::norm2> norm2;
inline constexpr detail::reduction<op::norminf> norminf;
inline constexpr detail::reduction<op::sumsq> sumsq;
inline constexpr detail::reduction<op::var> var;
inline constexpr detail::reduction<op::stddev> stddev;
inline constexpr detail::reduction<op::min> min;
inline constexpr detail::reduction<op::max> max;
inline constexpr detail::reduction<op::argmin> argmin;
inline constexpr detail::reduction<op::argmax> argmax;
inline constexpr detail::reduction<op::any> any;
inline constexpr detail::reduction<op::all> all;
inline constexpr detail::reduction<op::count> count;
inline constexpr detail::reduction<op::count_nonzero> count_nonzero;
inline constexpr detail::reduction<op::bit_and> bit_and;
inline constexpr detail::reduction<op::bit_or> bit_or;
inline constexpr detail::reduction<op::bit_xor> bit_xor;
inline constexpr detail::reduction<op::prod> prod;
inline constexpr detail::reduction<op::logsumexp> logsumexp;

/// The same as a result.
inline constexpr detail::try_reduction<op::sum> try_sum;
inline constexpr detail::try_reduction<op::mean> try_mean;
inline constexpr detail::try_reduction<op::norm1> try_norm1;
inline constexpr detail::try_reduction<op::norm2> try_norm2;
inline constexpr detail::try_reduction<op::norminf> try_norminf;
inline constexpr detail::try_reduction<op::sumsq> try_sumsq;
inline constexpr detail::try_reduction<op::var> try_var;
inline constexpr detail::try_reduction<op::stddev> try_stddev;
inline constexpr detail::try_reduction<op::min> try_min;
inline constexpr detail::try_reduction<op::max> try_max;
inline constexpr detail::try_reduction<op::argmin> try_argmin;
inline constexpr detail::try_reduction<op::argmax> try_argmax;
inline constexpr detail::try_reduction<op::any> try_any;
inline constexpr detail::try_reduction<op::all> try_all;
inline constexpr detail::try_reduction<op::count> try_count;
inline constexpr detail::try_reduction<op::count_nonzero> try_count_nonzero;
inline constexpr detail::try_reduction<op::bit_and> try_bit_and;
inline constexpr detail::try_reduction<op::bit_or> try_bit_or;
inline constexpr detail::try_reduction<op::bit_xor> try_bit_xor;
inline constexpr detail::try_reduction<op::prod> try_prod;
inline constexpr detail::try_reduction<op::logsumexp> try_logsumexp;

/// The dot product of two arrays: detail::dot_product. dot throws onefold::error.
inline constexpr detail::dot_product<> dot;
inline constexpr detail::dot_product<detail::as_result> try_dot;

/// The minimum and the maximum as a pair: detail::both_extrema. minmax throws onefold::error.
inline constexpr detail::both_extrema<> minmax;
inline constexpr detail::both_extrema<detail::as_result> try_minmax;

}  // namespace onefold
