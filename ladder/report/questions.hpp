// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a story of the course begins and ends with.

#include <string_view>

namespace onefold::ladder {

struct story_question {
  std::string_view rung;
  std::string_view asks;     ///< the question that the rung answers
  std::string_view predict;  ///< what to foresee before `command` is run
  std::string_view command;  ///< behind the program's name
};

/// Null for a published defect: all of these ask where the mistake is.
const story_question* question_of(std::string_view rung);

}  // namespace onefold::ladder
