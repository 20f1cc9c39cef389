// SPDX-License-Identifier: Apache-2.0
#pragma once
// The exercises of the course as data: what each asks, the file with the hole, the rung that shows
// the repaired kernel, hints by symptom, and what has been learnt when it is done.
//
// The files of ladder/exercises/ are compiled in, so the course needs no source tree.

#include "simt/counts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder {

/// A branch of the tree of hints: the steps for one symptom, the vaguest first. The last step all
/// but writes the line.
struct hint_branch {
  std::string_view symptom;  ///< a part of the verdict of `try`, as "bounds"; empty: any other
  std::vector<std::string_view> steps;
};

/// What a right answer still has to reach: a number that the executor counts.
struct lesson_goal {
  std::string_view says;
  bool (*met)(const simt::counts&) = nullptr;  ///< null: a right answer is enough
  std::string (*counted)(const simt::counts&) = nullptr;
};

struct lesson {
  unsigned number;              ///< from 1
  std::string_view title;       ///< "The tail"
  std::string_view file;        ///< "1_tail.cu", below ladder/exercises/
  std::string_view rung;        ///< whose kernel the exercise is about
  std::string_view question;    ///< to think about before touching the file
  std::string_view task;        ///< what to change
  std::string_view op = "sum";  ///< of `try`
  unsigned grid = 0;            ///< of `try`; 0: one element a lane
  std::string_view as_given;    ///< the verdict of `try` on the file with its hole
  lesson_goal goal;
  std::vector<hint_branch> hints;
  std::string_view learnt;
};

/// In the order of the course.
const std::vector<lesson>& lessons();

/// "try 1_tail.cu", with its options: the words behind the program's name.
std::string try_command(const lesson& l);

/// The file with its hole, as it is in ladder/exercises/.
std::string_view exercise_text(const lesson& l);

/// The line or lines that fill the hole, from ladder/exercises/answers.md.
std::string answer_to(const lesson& l);

/// The branch for a verdict: the first whose symptom is in it, else the one without a symptom.
const hint_branch& hints_for(const lesson& l, std::string_view verdict);

}  // namespace onefold::ladder
