// SPDX-License-Identifier: Apache-2.0
#pragma once
// The learner's file under `try`, and the number that the exercise asks for.

#include "ladder/learn/course.hpp"
#include "ladder/try/try.hpp"

namespace onefold::ladder {

struct check_result {
  try_report report;
  bool as_given = false;  ///< the file has not been edited
  bool goal_met = true;

  bool done() const { return report.clean() && goal_met; }
};

/// Fails: std::runtime_error for what the machine lacks, with the remedy.
check_result check_exercise(const course& c, const lesson& l);

/// The number of the line marked `<- your line` in the learner's file; 0: no line is marked.
unsigned marked_line(const course& c, const lesson& l);

}  // namespace onefold::ladder
