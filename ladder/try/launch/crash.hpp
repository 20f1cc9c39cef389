// SPDX-License-Identifier: Apache-2.0
#pragma once
// A signal in the learner's code becomes one line of the session instead of silence.

#include "ladder/try/object/seal.hpp"

#include <string>

namespace onefold::ladder::learner {

/// From now on a fatal signal writes {"crash": ...} to fd and ends the process. `file` is the
/// learner's: a place in it is named. On a stack of its own, so that an overflow can be told.
void report_crashes(int fd, const std::string& file, const transcript_seal& seal);

}  // namespace onefold::ladder::learner
