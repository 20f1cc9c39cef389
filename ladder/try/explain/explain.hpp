// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why an answer is wrong: which line stores another operator's result or a wrong identity, which
// elements do not reach the answer, and whether another block or another question would do.

#include "ladder/try/launch/session.hpp"
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

/// "elements 5 and 7 never reach the answer: ...; element 2 counts twice", of a short fold or dot
/// product. Empty: unknown.
std::string lost_elements(trials& all, const trial_launch& wrong, const session_plan& plan);

/// Whether the answer is a sum of the elements, though some are lost, or too large for it.
bool adds_up(trials& all, const trial_launch& wrong, const session_plan& plan);

/// A shuffle from a lane outside its mask.
bool reads_absent(const simt::finding& f);
/// Whether the answer is right whatever such lanes give: NaN or -1, and large values of either
/// sign.
bool discards_absent(trials& all, trial_launch launch, const try_run& run);

/// Of a launch of eight lanes, or of the wrong one where that is as short. Empty: none was asked
/// for, or there is nothing that fits.
std::string picture_of(trials& all, const session_plan& plan, const std::optional<blame>& wrong);

}  // namespace onefold::ladder::learner
