// SPDX-License-Identifier: Apache-2.0
// A self-test at first use: whether this build's floating-point arithmetic is what the proofs
// assume.
#pragma once

namespace onefold::cpu {

/// Sums data with a known result through the cascade of the active target, and compares it with the
/// sum of the same data by integers. Compilers may delete the cascade under flags that define no
/// macro (clang's -fassociative-math); this test detects that.
bool arithmetic_is_sound();

}  // namespace onefold::cpu
