// SPDX-License-Identifier: Apache-2.0
// The outputs of a reduction by key: keys and answers of the groups.
#pragma once

#include <cstdint>
#include <functional>

#include "onefold/array.hpp"
#include "onefold/array_view.hpp"

namespace onefold {

/// `keys` has one contiguous element of the keys' type for each group; `answers` has one axis with
/// one answer for each group (and for minmax one more of extent 2).
struct group_outputs {
  void* keys;
  output_view answers;
};

/// Allocates the outputs of `groups` groups. Called once, on the caller's thread, when their number
/// is known.
using group_maker = std::function<group_outputs(std::int64_t groups)>;

/// Distinct keys, ascending, and the answer of each.
template <element Key, element Answer>
struct groups {
  array<Key> keys;
  array<Answer> answers;
};

}  // namespace onefold
