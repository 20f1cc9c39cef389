// SPDX-License-Identifier: Apache-2.0
// Canonicalisation: the same multiset of elements, in as few axes as possible.
#pragma once

#include <cstdint>

#include "onefold/array_view.hpp"
#include "onefold/status.hpp"

namespace onefold {

struct canonical_view {
  axis_list axes;                 ///< by falling stride, broadcast axes first, none of extent 1
  std::int64_t origin_bytes = 0;  ///< where the first element lies, from the view's pointer
  std::int64_t items = 0;
};

/// Drops axes of one element, turns reversed axes round, sorts by stride, merges neighbours that
/// walk memory as one. For a whole-array reduction whose operator commutes.
/// Fails: mismatch (an extent below zero; 2^63 elements or more).
result<canonical_view> canonicalise(const array_view& x);

}  // namespace onefold
