// SPDX-License-Identifier: Apache-2.0
// The answers of exact sums: of elements, of magnitudes, of squares, of products, and moments.
#pragma once

#include "rounding/finish.hpp"

namespace onefold {

/// As finish, for the families total, magnitudes, squares, products and moments.
status finish_exact_sum(op what, const any_state& from, const finishing& how, void* output,
                        dtype type);

}  // namespace onefold
