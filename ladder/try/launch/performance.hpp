// SPDX-License-Identifier: Apache-2.0
#pragma once
// The child's part of a session: loads the object, launches the kernel in every schedule and at
// every length, and tells each result at once.

#include "ladder/try/launch/session.hpp"
#include "ladder/try/object/seal.hpp"

namespace onefold::ladder::learner {

/// Writes one sealed line of JSON for each event to fd; session.cpp hears them. Returns an exit
/// code.
int perform(const session_plan& plan, transcript_seal& seal, int fd);

}  // namespace onefold::ladder::learner
