// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs whose answer is one value in every order of folding, so that no tolerance is needed.

#include "ladder/try/launch/number.hpp"

#include <vector>

namespace onefold::ladder::learner {

enum class input_kind : unsigned char {
  counting,  ///< that of `onefold-ladder run`: 0, 1, 2, ..., for float i mod 7
  random,    ///< spread as wide as exactness allows, on the side where a wrong identity shows
  wide,      ///< spread over the whole type; only single operations are exact
};

/// What a kernel computes of its inputs.
enum class task : unsigned char {
  fold,      ///< of one input's elements
  products,  ///< of two inputs: the sum of the products of their elements
  pairs,     ///< of two inputs: one result for each pair of elements
};

/// "", " of products", " of each pair": what follows the operator's name.
const char* suffix(task asked);

/// Longest input that is tried.
inline constexpr std::size_t max_n = std::size_t{1} << 20;

using numbers = std::vector<number>;

/// One input, or two of the same length. The same values in every run.
std::vector<numbers> input_values(task asked, input_kind kind, reduction op, scalar type,
                                  std::size_t n);

/// The elements folded, in the arithmetic of the output's type.
number folded(reduction op, scalar type, const numbers& values);

/// The right answer: one value, or of pairs one for each.
numbers answers(task asked, reduction op, scalar type, const std::vector<numbers>& inputs);

}  // namespace onefold::ladder::learner
