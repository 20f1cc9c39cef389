// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a kernel prints. The child's standard output goes to a file in memory; each launch begins it
// anew, so that what is kept is of one launch.

#include <string>

namespace onefold::ladder::learner {

/// From now on. What cannot be captured is dropped.
void capture_prints();
/// Forgets what was printed so far.
void forget_prints();
/// The first lines, and how many there are in all.
std::string printed_so_far();

}  // namespace onefold::ladder::learner
