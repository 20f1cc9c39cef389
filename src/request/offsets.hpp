// SPDX-License-Identifier: Apache-2.0
// What is wrong with the offsets of segments.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "onefold/status.hpp"

namespace onefold {

/// The first offset that falls or does not lie within 0 … items. Fails: mismatch.
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
