// SPDX-License-Identifier: Apache-2.0
#pragma once
// The course's picture of which elements fold when, for a kernel of a learner's own.

#include "ladder/try/report/drawing.hpp"

namespace onefold::ladder {

/// Null for a type that the course has no pictures of.
std::unique_ptr<launch_drawing> draw_letters(const std::string& type, const std::string& op);

}  // namespace onefold::ladder
