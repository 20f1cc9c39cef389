// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the course shows, as text of at most 80 columns.

#include "ladder/learn/check.hpp"

#include <vector>

namespace onefold::ladder {

/// A command that goes on from a screen, and when to give it.
struct next_command {
  std::string command, purpose;
};

/// The text in lines of at most `columns`, each after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent = 0, std::size_t columns = 80);

/// "Next:" and the commands.
std::string next_text(const std::vector<next_command>& commands);

/// Question, task, file and the line to change.
std::string exercise_screen(const course& c, const lesson& l);

/// What `try` says of the learner's file, and what is missing to the goal.
std::string check_screen(const course& c, const lesson& l, const check_result& result);

/// Hints `first` to `last` of a branch, counted from 1.
std::string hint_screen(const hint_branch& branch, unsigned last);

/// All exercises, and how far each is.
std::string list_screen(const course& c);

}  // namespace onefold::ladder
