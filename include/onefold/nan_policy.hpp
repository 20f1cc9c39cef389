// SPDX-License-Identifier: Apache-2.0
// What a NaN among the elements does.
#pragma once

#include <string_view>

namespace onefold {

enum class nan_policy : unsigned char {
  propagate,  ///< the answer is NaN; a position is the first NaN's
  omit,       ///< it is as if it were not there
  error,      ///< status not_a_number
};

constexpr std::string_view name(nan_policy which) noexcept {
  constexpr std::string_view names[] = {"propagate", "omit", "error"};
  return names[static_cast<unsigned>(which)];
}

}  // namespace onefold
