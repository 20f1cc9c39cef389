// SPDX-License-Identifier: Apache-2.0
#pragma once
// The launches of one kernel, each with its answer checked.
//
// An answer is right if the first `grid` outputs fold to it, or if the first output is it and no
// other was written; of pairs, if every output is. Device variables start every trial as the file
// initialises them. A kernel that has some is launched a second time on the memory that the first
// launch has left: what it counts with must be ready again.
//
// A buffer that the kernel reads before it writes would have been cleared by
// its host: it is cleared from then on, the launch repeated, and the buffer's name kept.

#include "ladder/try/launch/input.hpp"
#include "ladder/try/launch/roles.hpp"
#include "ladder/try/launch/watch.hpp"
#include "ladder/try/report/report.hpp"
#include "simt/program_image.hpp"

#include <set>

namespace onefold::ladder::learner {

/// A device variable and the bytes that it starts with.
struct device_variable {
  simt::memory_object place;
  std::vector<std::byte> first_bytes;
};

/// Those of the object that was loaded last. To be called before any launch.
std::vector<device_variable> device_variables();

struct trial_setup {
  entry kernel;
  std::vector<role> roles;
  std::vector<std::string> names;
  std::vector<device_variable> variables;
  task asked = task::fold;
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
  /// The answer if it is one value.
  std::optional<number> expected(const trial_launch& launch) const;
  const std::set<std::string>& cleared() const { return cleared_; }
  /// What a second launch gave that was wrong where the first was right; empty: nothing.
  const std::string& second_answer() const { return second_answer_; }

 private:
  class attempt;

  trial_setup setup_;
  std::set<std::string> cleared_;
  std::string second_answer_;
};

/// Launches the kernel at the setup's full length, whatever the roles, and watches its pointers.
std::vector<pointer_use> uses_of_pointers(const trial_setup& setup);

/// Of the launch that is running, for the report of a crash.
std::uintptr_t last_access_pc();

}  // namespace onefold::ladder::learner
