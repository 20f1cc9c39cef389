// SPDX-License-Identifier: Apache-2.0
// Where the groups of a reduction by key go.
#pragma once

#include <cstdint>
#include <functional>

#include "onefold/array.hpp"
#include "onefold/array_view.hpp"

namespace onefold {

/// `keys` holds an element of the keys' type for each group, side by side; `answers` has one axis
/// of as many answers (for minmax one more of extent 2).
struct group_outputs {
  void* keys;
  output_view answers;
};

/// Makes room for so many groups. Called once, by the caller's thread, when their number is known.
using group_maker = std::function<group_outputs(std::int64_t groups)>;

/// Distinct keys, ascending, and the answer of each.
template <element Key, element Answer>
struct groups {
  array<Key> keys;
  array<Answer> answers;
};

}  // namespace onefold
