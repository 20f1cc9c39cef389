// SPDX-License-Identifier: Apache-2.0
// States whose merge does not commute: a part is appended to the part that precedes it.
#pragma once

#include <cstdint>
#include <variant>

#include "onefold/detail/product.hpp"
#include "state/fast_parts.hpp"

namespace onefold {

using ordered_state = std::variant<fast_total<float>, fast_total<double>, fast_total<std::uint64_t>,
                                   fast_moments<float>, fast_moments<double>, detail::product>;

}  // namespace onefold
