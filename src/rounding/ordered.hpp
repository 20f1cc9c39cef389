// SPDX-License-Identifier: Apache-2.0
// The answers of products and of logarithms of sums of exponentials.
#pragma once

#include "rounding/finish.hpp"

namespace onefold {

/// As finish, each for its own state.
status finish_product(const detail::product& from, const finishing& how, void* output, dtype type);
status finish_log_sum(const detail::log_sum& from, const finishing& how, void* output, dtype type);

}  // namespace onefold
