// SPDX-License-Identifier: Apache-2.0
// Validation of segment offsets.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "onefold/status.hpp"

namespace onefold {

/// Reports the first offset that decreases or is outside 0 … items. Fails: mismatch.
inline status check_offsets(std::span<const std::int64_t> offsets, std::int64_t items) {
  if (offsets.empty()) return {status_code::mismatch, "there is no offset; n segments have n + 1"};
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const std::int64_t least = k == 0 ? 0 : offsets[k - 1];
    if (offsets[k] < least || offsets[k] > items)
      return {status_code::mismatch, "offset " + std::to_string(k) + " is " +
                                         std::to_string(offsets[k]) + "; it lies within " +
                                         std::to_string(least) + " … " + std::to_string(items)};
  }
  return {};
}

}  // namespace onefold
