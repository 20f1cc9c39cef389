// SPDX-License-Identifier: Apache-2.0
// Does this build add as the proofs assume? Asked once, at first use.
#pragma once

namespace onefold::cpu {

/// Sums data whose answer is known, through the cascade of the active target, and compares it with
/// the sum of the same data by integers. Compilers may delete the cascade under flags that define
/// no macro (clang's -fassociative-math); this is how that is found out.
bool arithmetic_is_sound();

}  // namespace onefold::cpu
