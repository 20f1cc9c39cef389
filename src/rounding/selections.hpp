// SPDX-License-Identifier: Apache-2.0
// The answers of extrema, counts and bitwise folds: nothing is rounded but into narrower outputs.
#pragma once

#include "rounding/finish.hpp"

namespace onefold {

/// As finish, each for its own state.
status finish_extrema(op what, const detail::extrema& from, const finishing& how, void* output,
                      dtype type);
status finish_tally(op what, const detail::tally& from, const finishing& how, void* output,
                    dtype type);
status finish_bits(op what, const detail::bit_fold& from, const finishing& how, void* output,
                   dtype type);

/// A count or a position that was found without a state.
status finish_count(op what, std::int64_t answer, dtype input, void* output, dtype type);

}  // namespace onefold
