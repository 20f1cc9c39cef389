// SPDX-License-Identifier: Apache-2.0
// What the kernels of any plan must write where order counts: the elements of a chunk are gathered,
// and the CPU's tasks make the words of them. Columns are plain loops.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "cuda/nested/model.hpp"
#include "cuda/ordered/chunk_words.hpp"
#include "rounding/fast.hpp"
#include "support/column_model.hpp"

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
    const T y = of.of == accumulator::products
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

/// Words of a piece with its notes.
inline std::size_t all_words_of(const nested_request& of) {
  return std::size_t(std::max<std::int64_t>(of.state_words, 1 + chunk_notes));
}

/// The words of band k of a request: its sum, and how many elements it has.
template <class Number, class T>
word_list words_of_band(nested_request of, std::int64_t k) {
  const float_environment sound;
  const std::int64_t bands = of.pieces;
  of.pieces = 1, of.piece_items = of.items;
  const kept_elements<T> from = elements_of_piece<T>(of, k / bands);
  std::vector<Number> terms, ones;
  for (std::size_t i = 0; i < from.x.size(); ++i) {
    const auto x = as_accumulator<Number>(from.x[i]), y = as_accumulator<Number>(from.y[i]);
    const bool product = of.of == accumulator::squares || of.of == accumulator::products;
    terms.push_back(product ? x * y : of.of == accumulator::magnitudes ? std::abs(x) : x);
    ones.push_back(1);
  }
  const auto extent = std::size_t(of.axes.axis[of.axes.all - 1].extent);
  const auto band = std::size_t(k % bands);
  word_list words(all_words_of(of));
  words[0] = std::bit_cast<std::int64_t>(double(onefold::test::band_sums(terms, extent)[band]));
  words[1] = std::int64_t(onefold::test::band_sums(ones, extent)[band]);
  words.resize(std::size_t(of.state_words));
  return words;
}

/// The words of piece k of a request with an order.
inline word_list words_of_ordered_piece(const nested_request& of, std::int64_t k) {
  return with_type(of.input, [&]<class T>(detail::tag<T>) {
    using number = std::conditional_t<std::is_integral_v<T> || sizeof(T) == 8, double, float>;
    using element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    if (of.shape == order::columns) return words_of_band<number, element>(of, k);
    const auto from = elements_of_piece<element>(of, k);
    const auto n = std::int64_t(from.x.size());
    word_list words(all_words_of(of));
    if (n > 0) {
      const auto made =
          onefold::test::kernel_words(of.of, of.input, from.x.data(), from.y.data(), n);
      std::copy(made.begin(), made.end(), words.begin());
    }
    words[words.size() - 2] = n, words[words.size() - 1] = from.dropped;
    words.resize(std::size_t(of.state_words));
    return words;
  });
}

/// The host's outcome of a fast variance or deviation of those words of a chunk and its notes.
inline status_code finish_spread(const word_list& words, dtype input, const finish_list& list,
                                 const finish_item& asked, void* output) {
  if (list.nan == nan_policy::error && words[3] > 0) return status_code::not_a_number;
  const auto mean = std::bit_cast<double>(words[0]), squares = std::bit_cast<double>(words[1]);
  ordered_state state = fast_moments<double>{words[2], mean, squares};
  if (input != dtype::f64) state = fast_moments<float>{words[2], float(mean), float(squares)};
  const float_environment sound;
  return write_fast(state, {asked.what, input, words[2], list.correction}, output, asked.type)
      .code();
}

}  // namespace onefold::cuda::test
