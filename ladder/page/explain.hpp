// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes the page of a rung: runs it, with pictures, under every schedule and at several lengths,
// and a second time small enough for a textbook's picture.

#include "ladder/page/page.hpp"
#include "ladder/page/trials.hpp"

namespace onefold::ladder {

struct explain_options {
  trial_options launch;
  /// A length for the schedules, where the launch's own would take too long.
  std::optional<std::size_t> schedules_n{};
};

/// `done` lends the previous rung's trial if it has it, and keeps this one's.
/// Fails: as try_rung.
page explain(const rung& r, const explain_options& options, trials& done);

/// The launch that the picture of the folds is drawn from: the asked one if it is small enough.
trial_options toy_launch(const trial_options& launch);

}  // namespace onefold::ladder
