// SPDX-License-Identifier: Apache-2.0
#pragma once
// The launches of one kernel, each with its answer checked.
//
// One value is right if the outputs fold to it, or if the first output is it and no other was
// written; of an answer for each element, row or column, every one is right. Device variables start
// every trial as the file initialises them. A kernel that has some is launched a second time on the
// memory that the first launch has left: what it counts with must be ready again.
//
// A buffer that the kernel reads before it writes would have been cleared by
// its host: it is cleared from then on, the launch repeated, and the buffer's name kept.

#include "ladder/try/answer/input.hpp"
#include "ladder/try/answer/records.hpp"
#include "ladder/try/launch/elements.hpp"
#include "ladder/try/launch/geometry.hpp"
#include "ladder/try/report/report.hpp"
#include "ladder/try/watch/watch.hpp"
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

/// Which lanes leave a partial answer, of an answer that is one value.
enum class partial_answers : unsigned char { of_blocks, of_warps, of_lanes };

struct trial_setup {
  signature kernel;
  parameters given;
  std::vector<device_variable> variables;
  learner::expectation expectation = learner::expectation::fold;
  reduction op = reduction::sum;
  geometry shape;
  unsigned lanes = 1;  ///< components of an element, also before pointers have roles
  partial_answers partial = partial_answers::of_blocks;
  std::optional<std::size_t> shared_bytes;
  bool one_cluster = false;  ///< the grid has a barrier
  numbers file_answer;
  std::vector<parameter> structs;       ///< as of pointers to them
  record_rule rule;                     ///< of an answer that is a record; else empty
  std::vector<input_part> input_parts;  ///< of elements that are structs

  const parameter& at(std::size_t i) const { return kernel.kernel.parameters[i]; }
  const parameter& input() const { return at(given.inputs().front()); }
  const parameter& output() const { return at(given.output()); }
  bool takes_length() const { return given.any(role::length); }
  bool of_records() const { return !rule.empty(); }
  bool in_place() const { return !given.any(role::output); }
};

struct trial_launch {
  try_shape data;
  simt::schedule order;
  input_kind input;
  try_shape grid, block;
  unsigned together = 1;   ///< blocks that run at the same time
  std::uint64_t seed = 1;  ///< of the shuffled order, and of which element is special

  const numbers* elements = nullptr;  ///< of one input, instead of those of the kind
  std::size_t of_input = 0;           ///< which one; all elements of the others are 1

  std::optional<std::uint64_t> absent{};  ///< as in simt::launch_config

  static trial_launch at_full(const geometry& shape, simt::schedule order, input_kind input) {
    return {shape.data, order, input, shape.grid, shape.block};
  }
};

class trials {
 public:
  explicit trials(trial_setup setup) : setup_(std::move(setup)) {}

  /// `extra` may be null; `counts` and `printed`, too.
  try_run run(const trial_launch& launch, simt::observer* extra = nullptr,
              simt::counts* counts = nullptr, std::string* printed = nullptr);

  const trial_setup& setup() const { return setup_; }
  /// The answer if it is one value.
  std::optional<number> expected(const trial_launch& launch) const;
  const std::set<std::string>& cleared() const { return cleared_; }
  /// What a second launch gave that was wrong where the first was right; empty: nothing.
  const std::string& second_answer() const { return second_answer_; }

 private:
  trial_setup setup_;
  std::set<std::string> cleared_;
  std::string second_answer_;
};

/// Launches the kernel at the setup's full shape, whatever the roles of its pointers, and watches
/// these.
std::vector<pointer_use> uses_of_pointers(const trial_setup& setup);

/// Of the launch that is running, for the report of a crash.
std::uintptr_t last_access_pc();

}  // namespace onefold::ladder::learner
