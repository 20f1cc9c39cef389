// SPDX-License-Identifier: Apache-2.0
// What becomes of the losses of rows.
#pragma once

namespace onefold {

/// Each loss is a result, or they have a sum or a mean.
enum class loss_reduction : unsigned char { none, sum, mean };

}  // namespace onefold
