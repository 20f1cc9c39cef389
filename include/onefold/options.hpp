// SPDX-License-Identifier: Apache-2.0
// How a reduction is done. Aggregate: name the members that differ from the default.
#pragma once

#include "onefold/accuracy.hpp"

namespace onefold {

struct options {
  accuracy how = accuracy::exact;  ///< correctly rounded, or a plain tree
};

}  // namespace onefold
