// SPDX-License-Identifier: Apache-2.0
// What the kernels of any plan must write where order counts: the elements of a chunk are gathered,
// and the CPU's tasks make the words of them. Columns are plain loops.
#pragma once

#include <cstring>
#include <vector>

#include "cuda/nested/model.hpp"
#include "cuda/ordered/chunk_words.hpp"

namespace onefold::cuda::test {

template <class T>
struct kept_elements {
  std::vector<T> x, y;
  std::int64_t dropped = 0;
};

/// The elements of piece k that are neither masked nor left out.
template <class T>
kept_elements<T> elements_of_piece(const nested_request& of, std::int64_t k) {
  kept_elements<T> made;
  const std::int64_t output = of.first_output + k / of.pieces;
  const std::int64_t first = k % of.pieces * of.piece_items;
  const auto at = [&](std::int64_t nest_axis::*stride, std::int64_t r) {
    return offset_in(of.axes, 0, of.axes.kept, output, stride) +
           offset_in(of.axes, of.axes.kept, of.axes.all, r, stride);
  };
  for (std::int64_t r = first; r < std::min(first + of.piece_items, of.items); ++r) {
    if (of.mask && of.mask[at(&nest_axis::mask_bytes, r)] == std::byte(0)) continue;
    const T x = element_at<T>(of.x + at(&nest_axis::x_bytes, r), of.x_kind.type);
    const T y = of.of == family::products
                    ? element_at<T>(of.y + at(&nest_axis::y_bytes, r), of.y_kind.type)
                    : x;
    if (of.drops_nans && (detail::is_nan(x) || detail::is_nan(y))) {
      ++made.dropped;
      continue;
    }
    made.x.push_back(x), made.y.push_back(y);
  }
  return made;
}

// Exact, as the conversions of narrower types are.
template <class Number, class T>
Number as_accumulator(T x) {
  if constexpr (std::is_integral_v<T>) {
    return Number(x);
  } else {
    exact_sum<T> one;
    one.add(x);
    return one.template value<Number>();
  }
}

/// Groups of 16 along the innermost axis.
template <class Number, class T>
Number sum_of_column(const nested_request& of, const kept_elements<T>& from) {
  const cpu::float_environment sound;
  const auto extent = std::size_t(of.axes.axis[of.axes.all - 1].extent);
  Number sum = Number(-0.0), group = Number(-0.0);
  for (std::size_t i = 0; i < from.x.size(); ++i) {
    const auto x = as_accumulator<Number>(from.x[i]), y = as_accumulator<Number>(from.y[i]);
    const bool product = of.of == family::squares || of.of == family::products;
    group += product ? x * y : of.of == family::magnitudes ? std::abs(x) : x;
    const std::size_t place = i % extent;
    if (place + 1 == extent || place % 16 == 15) sum += group, group = Number(-0.0);
  }
  return sum;
}

/// The words of piece k of a request with an order.
inline word_list words_of_ordered_piece(const nested_request& of, std::int64_t k) {
  return with_type(of.input, [&]<class T>(detail::tag<T>) {
    using number = std::conditional_t<std::is_integral_v<T> || sizeof(T) == 8, double, float>;
    using element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    const auto from = elements_of_piece<element>(of, k);
    const auto n = std::int64_t(from.x.size());
    word_list words(std::size_t(of.state_words));
    if (of.shape == order::columns) {
      words[0] = std::bit_cast<std::int64_t>(double(sum_of_column<number>(of, from)));
    } else if (n > 0) {
      const auto made =
          onefold::test::kernel_words(of.of, of.input, from.x.data(), from.y.data(), n);
      std::copy(made.begin(), made.end(), words.begin());
    }
    words[words.size() - 2] = n, words[words.size() - 1] = from.dropped;
    return words;
  });
}

}  // namespace onefold::cuda::test
