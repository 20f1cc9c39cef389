// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers that are judged outside the process that computes them. Each launch has a process of its
// own, which receives random elements and returns the bytes of the answer; this process makes the
// elements, computes the right answer when the other one has ended, and compares. A submission that
// writes a report of its own, or knows the usual inputs by heart, is not right here.

#include "ladder/try/launch/session.hpp"

namespace onefold::ladder::learner {

struct verification {
  unsigned launches = 0;
  std::vector<try_run> wrong;       ///< launches whose answer is wrong
  std::vector<try_defect> defects;  ///< of launches without an answer
};

/// `output` is the type of the answer. The session says how to launch the kernel; nothing that it
/// says of answers is used.
/// Fails: std::invalid_argument for what has no answer that can be compared here, with the remedy.
verification verify(const session_plan& plan, const session_result& session, scalar output);

}  // namespace onefold::ladder::learner
