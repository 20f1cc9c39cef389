// SPDX-License-Identifier: Apache-2.0
#pragma once
// A rung as data: what it is called, the one idea it adds, where the documents print it, and what
// is claimed about it in a form that can be checked against counts.
//
// Every kernel file reduce/x.cuh has its data beside it in reduce/x.rung.cpp; registry.cpp lists
// them in climbing order.

#include "ladder/image/tiles.hpp"
#include "ladder/rung/trial.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder {

/// What a rung works on: which inputs it gets and what is checked (trial/problem.hpp).
enum class work : unsigned char { reduce, dot, transpose, column_sums, row_sums, vector_add };

/// What each block of a dot product leaves in `out`.
enum class partial_form : unsigned char {
  value,        ///< an element
  compensated,  ///< a sum; the losses follow behind the sums of all blocks
  exact,        ///< an exact_partial
};

/// What ncu counted on real hardware; the launch it was measured at is recorded() (hardware.hpp).
struct hardware_counters {
  std::uint64_t load_wavefronts, load_conflicts, store_wavefronts, store_conflicts;  ///< shared
  std::uint64_t load_instructions, store_instructions;                               ///< shared
  std::uint64_t shared_atomic_wavefronts;
  std::uint64_t global_load_requests, global_load_sectors;
  std::uint64_t global_store_requests, global_store_sectors;
  std::uint64_t global_atomic_requests, global_atomic_sectors;  ///< reductions included
  std::uint64_t divergent_branches;
  std::uint64_t instructions;       ///< of warps
  double active_lanes;              ///< of an instruction
  double lanes_not_predicated_off;  ///< of an instruction: those of its active lanes that work
};

/// A rung's trial, and the trial of the rung before it at the same size; what a GPU counted of the
/// same two launches.
struct evidence {
  const trial& current;
  const trial* previous;
  bool previous_refuses = false;  ///< the launch: then there is no trial to compare with
  const hardware_counters* recorded = nullptr;  ///< null: not recorded for this launch
  const hardware_counters* recorded_before = nullptr;

  const simt::counts& counts() const { return current.counts; }
  const simt::counts& before() const { return previous->counts; }
};

/// Who has the numbers that a claim is about.
enum class witness : unsigned char {
  executor,
  gpu,  ///< the executor has none: evidence::recorded, and recorded_before where there is a rung
};

struct claim {
  std::string_view says;                    ///< what is printed, or easily believed, of the rung
  bool true_here;                           ///< whether our data say it is so
  bool (*applies)(const evidence&);         ///< sizes at which the claim speaks
  bool (*test)(const evidence&);            ///< whether the counts say so
  std::string (*counted)(const evidence&);  ///< the numbers behind it
  std::string (*measured)(const hardware_counters&) = nullptr;
  witness judged_by = witness::executor;
  void (*at)(trial_options&) = nullptr;  ///< makes the launch that it speaks of of another one
};

struct printed_as {
  std::string_view document;  ///< an id of sources.json
  std::string_view step;      ///< the document's own number for it
};

struct code_change {
  std::string_view before;  ///< a line of the previous rung's kernel
  std::string_view after;   ///< the line that replaces it
};

struct rung {
  std::string_view name;
  std::string_view title;
  std::string_view idea;
  std::string_view previous;  ///< name of the rung it follows; empty for the first
  std::string file;           ///< of its kernel, from the root of the tree; empty: the name says it
  std::vector<code_change> changes;
  std::vector<printed_as> printed;  ///< from sources.json
  double published_us = 0;          ///< microseconds that a document gives for it; 0: none does
  work kind = work::reduce;

  // How its launches are made.
  unsigned items_per_lane = 1;  ///< that the grid is sized for
  bool grid_stride = false;     ///< any grid covers any n, in several rounds
  bool one_value = false;       ///< leaves one value, not one for each block
  bool onto_identity = false;   ///< folds into `out`, which has to hold the identity
  bool any_block = false;       ///< nothing halves it: no tree, or a twin shown with such a block
  bool needs_scratch = false;   ///< kernel_arguments::scratch
  bool floats_only = false;     ///< no kernel takes int: its sum is exact without more ado
  std::size_t workspace_bytes = 0;  ///< kernel_arguments::workspace
  partial_form partial = partial_form::value;
  image_tile (*tile)(unsigned block) = nullptr;  ///< of an image: what one block covers
  /// What it cannot do, as a sentence with a remedy; empty when the options are fine.
  std::string (*refuses)(const trial_options&) = nullptr;

  unsigned (*distance)(unsigned step, unsigned block) = nullptr;  ///< of step 1, 2, ...
  std::vector<claim> claims;
  std::string (*appendix)() = nullptr;  ///< a table of its own that its page ends with

  // Of a twin that keeps its defect.
  bool published = false;    ///< its name says so
  std::string_view verdict;  ///< trial::verdict() under shown_at; or "does not compile"
  trial_options shown_at{};
  std::string_view compiler_says;  ///< a regular expression; then there is no kernel to run

  /// Why the executor does not run it, with the remedy, as a sentence; empty: it does.
  std::string_view gpu_only;

  bool compiles() const { return compiler_says.empty(); }
  bool under_executor() const { return compiles() && gpu_only.empty(); }
};

/// The type that a rung is run with when nobody asks for another.
element usual_type(const rung& r);
/// What a rung is run with when nobody asks for more: a twin where it shows its defect.
trial_options usual_options(const rung& r);
bool is_image(const rung& r);
/// What the compilers say about a kernel that does not compile: each its own words.
std::string compiler_words(const rung& r);
/// What its data consist of: "elements", or "pixels" of an image.
std::string_view items_of(const rung& r);

/// Every rung in climbing order, then the published twins.
const std::vector<rung>& all_rungs();

/// Null when there is no rung of that name.
const rung* find_rung(std::string_view name);

/// The outcome of a claim at one size.
enum class claim_state {
  holds,
  does_not_hold,
  broken,
  not_at_this_size,
  only_full_warps,  ///< the launch asks for warps of fewer lanes
  only_host_driver,
  not_compared,  ///< the rung before does not take the launch
  not_recorded,  ///< on a GPU, of this launch
};
claim_state judge(const claim& c, const evidence& e);

}  // namespace onefold::ladder
