// SPDX-License-Identifier: Apache-2.0
// The treatment of NaN among the elements.
#pragma once

#include <string_view>

namespace onefold {

enum class nan_policy : unsigned char {
  propagate,  ///< the answer is NaN; a position is the first NaN's
  omit,       ///< NaNs are ignored
  error,      ///< status not_a_number
};

constexpr std::string_view name(nan_policy which) noexcept {
  constexpr std::string_view names[] = {"propagate", "omit", "error"};
  return names[static_cast<unsigned>(which)];
}

}  // namespace onefold
