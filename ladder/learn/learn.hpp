// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold ladder learn`: the course in the terminal. Every screen ends with the commands that go
// on from it.
//
//   lesson   the exercises as data
//   course   the learner's folder and what has been done in it
//   check    the learner's file under `try`, and the exercise's goal
//   screens  what is shown, as text
//   learn    the actions

#include <string>

namespace onefold::ladder {

struct learn_request {
  std::string action;                      ///< "start", "check", ...; empty: where am I
  unsigned number = 0;                     ///< of an exercise; 0: the current one
  std::string folder;                      ///< --folder; empty: course::usual_folder()
  std::string program = "onefold ladder";  ///< as the user calls it, for the commands shown
  bool json = false;
};

struct learn_answer {
  std::string text;
  int exit_code = 0;  ///< 1: the exercise is not done, or the action does not fit
};

/// Fails: std::invalid_argument for a number that no exercise has; std::runtime_error for what the
/// machine lacks or refuses (no compiler, a folder that takes no files), with the remedy.
learn_answer answer_learn(const learn_request& request);

}  // namespace onefold::ladder
