// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which rungs a command line asks for, each with its options; looked at before anything runs.

#include "ladder/commands/climb.hpp"

#include <functional>
#include <string>
#include <vector>

namespace onefold::ladder {

struct selection {
  std::vector<climb_step> steps;
  std::vector<std::string> left_out;  ///< sentences: who does not take these options, and why
};

using options_of = std::function<trial_options(const rung&)>;

/// Fails: std::invalid_argument that gives the nearest name there is.
const rung& rung_named(const std::string& name);

/// The named rungs, or without names all that take the options; those that the executor cannot run
/// come with them when they are wanted.
/// Fails: std::invalid_argument when a named rung, or every rung, refuses the options.
selection select(const std::vector<std::string>& names, const options_of& options,
                 bool uncompiled = false);

}  // namespace onefold::ladder
