// SPDX-License-Identifier: Apache-2.0
#pragma once
// The launches of one kernel, each with its answer checked.
//
// An answer is right if the first `grid` outputs fold to it, or if the first output is it and no
// other was written. A buffer that the kernel reads before it writes would have been cleared by
// its host: it is cleared from then on, the launch repeated, and the buffer's name kept.

#include "ladder/try/input.hpp"
#include "ladder/try/report.hpp"
#include "ladder/try/roles.hpp"
#include "ladder/try/watch.hpp"

#include <set>

namespace onefold::ladder::learner {

struct trial_setup {
  entry kernel;
  std::vector<role> roles;
  std::vector<std::string> names;
  reduction op = reduction::sum;
  std::size_t n = 0;
  unsigned block = 0, grid = 0;  ///< at the full length
  std::optional<std::size_t> shared_bytes;

  scalar input() const { return kernel.parameters[index_of(roles, role::input)].type; }
  scalar output() const { return kernel.parameters[index_of(roles, role::output)].type; }
  bool takes_length() const { return index_of(roles, role::length) < roles.size(); }
};

struct trial_launch {
  std::size_t n;
  simt::schedule order;
  input_kind input;
  unsigned grid;
};

class trials {
 public:
  explicit trials(trial_setup setup) : setup_(std::move(setup)) {}

  /// As many elements a block as at the full length.
  unsigned grid_at(std::size_t n) const;

  /// `extra` may be null; `counts`, too.
  try_run run(const trial_launch& launch, simt::observer* extra = nullptr,
              simt::counts* counts = nullptr);

  const trial_setup& setup() const { return setup_; }
  number expected(const trial_launch& launch) const;
  const std::set<std::string>& cleared() const { return cleared_; }

 private:
  class attempt;

  trial_setup setup_;
  std::set<std::string> cleared_;
};

/// Of the launch that is running, for the report of a crash.
std::uintptr_t last_access_pc();

}  // namespace onefold::ladder::learner
