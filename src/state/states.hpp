// SPDX-License-Identifier: Apache-2.0
// The state of no elements, for each family and element type.
#pragma once

#include "onefold/state.hpp"
#include "state/family.hpp"

namespace onefold {

/// The alternative of any_state that a family of this element type fills.
any_state empty_state(family what, dtype input);

}  // namespace onefold
