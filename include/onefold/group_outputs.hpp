// SPDX-License-Identifier: Apache-2.0
// Room for answers whose number is known only once the keys are read.
#pragma once

#include <cstdint>
#include <functional>

#include "onefold/array_view.hpp"

namespace onefold {

/// Where the groups go: `keys` holds an element of the keys' type for each, side by side; `answers`
/// has one axis of as many answers (for minmax one more of extent 2).
struct group_outputs {
  void* keys;
  output_view answers;
};

/// Makes room for so many groups. Called once, when their number is known.
using group_maker = std::function<group_outputs(std::int64_t groups)>;

}  // namespace onefold
