// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder run` and `list`: many rungs at one size.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

struct gpu_climb;

struct climb_step {
  const rung* step;
  trial_options options;
};

struct climb_result {
  const rung* step;
  trial outcome;
  bool claims_hold;  ///< none of the claims that speak at this size is broken

  /// A rung is right and clean; a published twin has its verdict where it is shown.
  bool as_expected() const;
};

/// Runs the rungs, each with its predecessor for the claims that compare.
std::vector<climb_result> climb(const std::vector<climb_step>& steps);

std::string list_text();
std::string list_json();

/// A table for each ladder, one for the twins, and what is wrong in words.
std::string climb_text(const std::vector<climb_result>& results);
std::string climb_json(const std::vector<climb_result>& results, const gpu_climb* gpu = nullptr);

}  // namespace onefold::ladder
