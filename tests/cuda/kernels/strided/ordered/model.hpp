// SPDX-License-Identifier: Apache-2.0
// What the kernels of any plan must write where order counts: the elements of a chunk are gathered,
// and the CPU's tasks make the words of them.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "cuda/kernels/strided/model.hpp"
#include "cuda/kernels/whole/products/chunk_words.hpp"

namespace onefold::cuda::test {

/// The elements of piece k that are not masked.
template <class T>
std::vector<T> elements_of_piece(const strided_request& request, std::int64_t k) {
  std::vector<T> made;
  const std::int64_t output = request.first_output + k / request.pieces;
  const std::int64_t first = k % request.pieces * request.piece_items;
  const auto at = [&](std::int64_t nest_axis::*stride, std::int64_t r) {
    return offset_in(request.axes, 0, request.axes.kept, output, stride) +
           offset_in(request.axes, request.axes.kept, request.axes.all, r, stride);
  };
  for (std::int64_t r = first; r < std::min(first + request.piece_items, request.items); ++r) {
    if (request.mask && request.mask[at(&nest_axis::mask_bytes, r)] == std::byte(0)) continue;
    made.push_back(element_at<T>(request.x + at(&nest_axis::x_bytes, r), request.x_kind.type));
  }
  return made;
}

/// The words of piece k of a request with an order.
inline word_list words_of_ordered_piece(const strided_request& request, std::int64_t k) {
  return with_type(request.input, [&]<class T>(detail::tag<T>) {
    using element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    const auto from = elements_of_piece<element>(request, k);
    const auto n = std::int64_t(from.size());
    word_list words(std::size_t(request.state_words));
    if (n > 0) {
      const auto made =
          onefold::test::kernel_words(request.accumulator, request.input, from.data(), n);
      std::copy(made.begin(), made.end(), words.begin());
    }
    words.back() = n;
    return words;
  });
}

}  // namespace onefold::cuda::test
