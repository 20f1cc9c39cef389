// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs whose answer is one value in every order of folding, so that no tolerance is needed.

#include "ladder/try/number.hpp"

#include <vector>

namespace onefold::ladder::learner {

enum class input_kind : unsigned char {
  counting,  ///< that of `onefold-ladder run`: 0, 1, 2, ..., for float i mod 7
  random,    ///< spread as wide as exactness allows, on the side where a wrong identity shows
  wide,      ///< spread over the whole type; only single operations are exact
};

/// Longest input that is tried.
inline constexpr std::size_t max_n = std::size_t{1} << 20;

/// The same values in every run.
std::vector<number> input_values(input_kind kind, reduction op, scalar type, std::size_t n);

/// The right answer, in the arithmetic of the output's type.
number folded(reduction op, scalar type, const std::vector<number>& values);

}  // namespace onefold::ladder::learner
