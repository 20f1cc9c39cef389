// SPDX-License-Identifier: Apache-2.0
// What the kernels of any plan must write: a walk over the elements of a piece, added one by one.
#pragma once

#include <cstring>
#include <type_traits>
#include <variant>
#include <vector>

#include "cuda/kernels/strided/strided.hpp"
#include "state/states.hpp"

namespace onefold::cuda::test {

using word_list = std::vector<std::int64_t>;

/// The words of a state, carried.
inline word_list words_of(const any_state& known) {
  word_list words;
  std::visit(
      [&](const auto& state) { state.for_each_word([&](std::int64_t w) { words.push_back(w); }); },
      known);
  return words;
}

/// The words that a kernel wrote for a state, carried.
inline word_list carried(accumulator kind, dtype input, const std::int64_t* words) {
  any_state known = empty_state(kind, input);
  std::visit([&]<class Known>(Known& made) { made = Known::from_words([&] { return *words++; }); },
             known);
  return words_of(known);
}

/// Where index k of the axes begin … end - 1 lies.
inline std::int64_t offset_in(const axis_nest& nest, int begin, int end, std::int64_t k,
                              std::int64_t nest_axis::*stride) {
  std::int64_t offset = 0;
  for (int a = end - 1; a >= begin; --a) {
    offset += k % nest.axis[a].extent * nest.axis[a].*stride;
    k /= nest.axis[a].extent;
  }
  return offset;
}

/// An element as T, which holds it exactly. A boolean is any byte but 0.
template <class T>
T element_at(const std::byte* at, dtype type) {
  return with_type(type, [&]<class From>(detail::tag<From>) -> T {
    if constexpr (std::is_same_v<From, bool>) {
      if constexpr (std::is_arithmetic_v<T>)
        return T(*at != std::byte(0));
      else
        return T();
    } else {
      From x;
      std::memcpy(static_cast<void*>(&x), at, sizeof x);
      if constexpr (std::is_same_v<From, T> ||
                    (std::is_integral_v<T> && std::is_integral_v<From>)) {
        return T(x);
      } else if constexpr (std::is_integral_v<From>) {
        if constexpr (std::is_arithmetic_v<T>)
          return T(x);
        else
          return T();
      } else if constexpr (std::is_integral_v<T>) {
        return T();
      } else {
        exact_sum<From> one;
        one.add(x);
        return one.template value<T>();
      }
    }
  });
}

/// A narrow float as a float, exactly.
template <class T>
float float_with(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    exact_sum<T> one;
    one.add(x);
    return one.template value<float>();
  }
}

template <class T>
void add_element(accumulator kind, any_state& to, T x, T y, std::int64_t index) {
  using key = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  switch (kind) {
  case accumulator::total:
    return std::get<exact_sum<key>>(to).add(x);
  case accumulator::magnitudes:
    if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>)
      return std::get<exact_sum<key>>(to).add(x);
    else if constexpr (std::is_integral_v<T>)
      return std::get<exact_sum<key>>(to).add(x < 0 ? -std::uint64_t(x) : std::uint64_t(x));
    else
      return std::get<exact_sum<key>>(to).add(
          detail::from_bits<T>(typename detail::float_format<T>::bits(
              detail::to_bits(x) & ~detail::float_format<T>::sign_bit)));
  case accumulator::squares:
    return std::get<exact_dot<key>>(to).add(x, x);
  case accumulator::products:
    return std::get<exact_dot<key>>(to).add(x, y);
  case accumulator::moments:
    return std::get<exact_moments<key>>(to).add(x);
  case accumulator::extrema:
    return std::get<detail::extrema>(to).add(x, index);
  case accumulator::counts:
    return std::get<detail::nonzero_counts>(to).add(x);
  case accumulator::exponentials:
    if constexpr (std::is_integral_v<T> || sizeof(T) == 8)
      return std::get<detail::exponential_sum<double>>(to).add(double(x));
    else
      return std::get<detail::exponential_sum<float>>(to).add(float_with(x));
  default:
    if constexpr (std::is_integral_v<T>) return std::get<detail::bit_fold>(to).add(x);
  }
}

/// The words of piece k of a request.
inline word_list words_of_piece(const strided_request& request, std::int64_t k) {
  any_state known = empty_state(request.accumulator, request.input);
  const std::int64_t output = request.first_output + k / request.pieces, piece = k % request.pieces;
  const std::int64_t first = piece * request.piece_items;
  const std::int64_t last = std::min(first + request.piece_items, request.items);
  const auto at = [&](std::int64_t nest_axis::*stride, std::int64_t r) {
    return offset_in(request.axes, 0, request.axes.kept, output, stride) +
           offset_in(request.axes, request.axes.kept, request.axes.all, r, stride);
  };
  with_type(request.input, [&]<class T>(detail::tag<T>) {
    for (std::int64_t r = first; r < last; ++r) {
      if (request.mask && request.mask[at(&nest_axis::mask_bytes, r)] == std::byte(0)) continue;
      const T x = element_at<T>(request.x + at(&nest_axis::x_bytes, r), request.x_kind.type);
      const T y = request.accumulator == accumulator::products
                      ? element_at<T>(request.y + at(&nest_axis::y_bytes, r), request.y_kind.type)
                      : x;
      add_element(request.accumulator, known, x, y, r);
    }
  });
  return words_of(known);
}

}  // namespace onefold::cuda::test
