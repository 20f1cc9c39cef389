// SPDX-License-Identifier: Apache-2.0
// Shifts the positions in the serialized state of extrema whose elements were counted from 0.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/extrema.hpp"

namespace onefold {

/// Adds the index of the first element to the positions. `words` is a serialized detail::extrema.
ONEFOLD_HOST_DEVICE constexpr void move_positions(std::int64_t* words, std::int64_t first_index) {
  const std::int64_t count = words[0], nans = words[1];
  if (nans > 0) words[2] += first_index;
  if (count > nans) words[4] += first_index, words[6] += first_index;
}

}  // namespace onefold
