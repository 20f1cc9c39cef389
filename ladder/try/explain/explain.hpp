// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why an answer is wrong: which line stores another operator's result or a wrong identity, which
// elements do not reach the answer, and whether another block or another question would do.

#include "ladder/try/launch/trials.hpp"

namespace onefold::ladder::learner {

/// A launch whose answer is wrong.
struct blame {
  trial_launch launch;
  std::string answer;
  bool strange_memory = false;  ///< it used memory outside a buffer, or unwritten
};

/// By what lines store of the values that they load.
std::vector<try_defect> blamed_lines(trials& all, const blame& wrong);

/// "the mean", "the range", ...: what the answers to two launches are, instead of a fold; null:
/// unknown.
const char* other_fold(const trial_setup& setup, const blame& wrong, const blame& shorter);

/// Of a block that a tree cannot halve: a smaller one with which the kernel is right; 0: none.
/// Nothing for a block that is a power of two.
std::optional<unsigned> better_block(trial_setup setup);

/// "elements 5 and 7 never reach the answer: ...; element 2 counts twice", of a short sum. Empty:
/// unknown.
std::string lost_elements(trials& all, const trial_launch& wrong, const std::string& file);

}  // namespace onefold::ladder::learner
