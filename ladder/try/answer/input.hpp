// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs whose answer is one value in every order of folding, so that no tolerance is needed.
// Floats are multiples of 1/16: a kernel that cuts them to integers is wrong.

#include "ladder/try/answer/expectation.hpp"

namespace onefold::ladder::learner {

enum class input_kind : unsigned char {
  counting,       ///< that of `onefold-ladder run`: 0, 1, 2, ..., for float i mod 7
  random,         ///< spread as wide as exactness allows, on the side where a wrong identity shows
  mixed,          ///< of a maximum or minimum: both signs
  limits,         ///< the least and the greatest values of the type
  negative_zero,  ///< of a maximum or minimum: the extremum is -0
  infinity,       ///< one element is infinite
  nan,            ///< one element is no number
  wide,           ///< spread over the whole type; only single operations are exact
  gathered,       ///< those of counting, equal ones together: lanes that add to one place meet
};

/// Longest input that is tried.
inline constexpr std::size_t max_n = std::size_t{1} << 20;

/// "ordinary", "one NaN", ...
const char* to_string(input_kind kind);

bool selects(reduction op);

/// Kinds with one answer for a fold by the operator, or the position of its extremum; the usual
/// ones left out. Which element is special is their place in the list.
std::vector<input_kind> special_kinds(reduction op, scalar type, bool position);

/// One number of an element that is a struct.
struct input_part {
  scalar type;
  bool is_position = false;  ///< the element's own index
};

struct input_request {
  learner::expectation expectation;
  input_kind kind;
  reduction op;
  scalar type, output;
  std::size_t count;  ///< components of each input
  std::size_t inputs = 1;
  bool squares = false;             ///< the sum of their squares has to be exact, too
  std::vector<input_part> parts{};  ///< of an element that is a struct; then `count` is elements
  std::uint64_t place = 0;          ///< decides which element is special
};

/// The same values in every run.
std::vector<numbers> input_values(const input_request& request);

}  // namespace onefold::ladder::learner
