// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a learner may try next: a remedy for each kind of defect, once.

#include "ladder/try/launch/session.hpp"

namespace onefold::ladder::learner {

std::vector<std::string> hints_for(const try_report& report, const session_result& session);

}  // namespace onefold::ladder::learner
