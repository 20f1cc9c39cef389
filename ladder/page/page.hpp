// SPDX-License-Identifier: Apache-2.0
#pragma once
// Everything that a page says about one rung, as data. The text, the JSON and the pictures of the
// HTML report are made from this and from nothing else.

#include "ladder/rung/rung.hpp"
#include "simt/banks.hpp"
#include "simt/observer.hpp"

#include <array>
#include <optional>

namespace onefold::ladder {

struct claim_line {
  std::string says;
  claim_state state;
  std::string counted;
  std::string measured;  ///< on the recorded GPU; empty when nobody has recorded it
};

/// One counter of the whole grid.
struct counter_line {
  std::string_view name;
  std::uint64_t executor;
  std::optional<std::uint64_t> hardware;
};

/// What warps execute, in words: the executor and the GPU count different things.
struct issue_line {
  std::string_view name;
  std::string executor, hardware;  ///< "-": it does not count this, or nobody has recorded it
};

/// A line of the source over the whole grid.
struct source_line {
  simt::location place;
  std::string code;           ///< without the blanks around it; empty: its file is not compiled in
  simt::counts counts;        ///< of the requests that it makes
  unsigned instructions = 0;  ///< that nvcc made of it; 0: none, or not recorded
};

/// Instructions that nvcc made of a line, where they explain a count.
struct code_excerpt {
  element type;
  simt::location place;
  std::string code, explains;
  std::vector<std::string> instructions;
  unsigned left_out;  ///< more of the same
};

/// A recorded time of the rung with its usual type.
struct time_line {
  std::size_t n;
  double median_us;
  std::optional<double> share;  ///< of the throughput of plain reading
};

/// What the lanes of block 0 did between two stores: a row of the lane strip.
struct lane_step {
  std::string name;                  ///< "load", the number of a step of the tree, "store"
  std::optional<unsigned> distance;  ///< of the tree's step
  std::vector<bool> working;         ///< lanes that store
  unsigned wavefronts = 0;           ///< of the loads from shared memory
  unsigned ideal = 0;                ///< the same without conflicts
  unsigned ways = 0;                 ///< of the worst request to shared memory
};

/// One request of a warp of block 0, with what is needed to draw it.
struct drawn_request {
  simt::space where = simt::space::global;
  bool writes = false;
  unsigned warp = 0;
  std::string step;  ///< name of its lane_step
  simt::location place;
  std::string buffer;              ///< of global memory
  simt::lane_addresses addresses;  ///< from the start of the buffer, or of a row of the banks
  simt::shared_cost shared;
  simt::global_cost global;
  unsigned ideal_sectors = 0;  ///< the fewest that hold as many bytes

  double sectors_over_ideal() const {
    return ideal_sectors == 0 ? 0 : double(global.sectors) / ideal_sectors;
  }
};

/// Block 0 of the first launch.
struct block_drawing {
  std::vector<lane_step> steps;
  std::optional<drawn_request> worst_shared;  ///< the most ways
  std::optional<drawn_request> worst_global;  ///< the most sectors for its bytes
  std::vector<drawn_request> first_loads;     ///< from global memory, one for each of a few warps
  std::vector<drawn_request> first_stores;
};

/// A cell of memory as a fold names it.
struct cell {
  std::string memory;  ///< "shared" or the name of a buffer
  std::size_t index = 0;
  bool operator==(const cell&) const = default;
};

/// A lane has read cells and stored what it made of them.
struct fold {
  unsigned launch = 0, block = 0;
  unsigned interval = 0;  ///< barriers of the block before it
  unsigned step = 0;
  unsigned thread = 0;
  unsigned warp = 0;
  std::vector<cell> from;
  cell to;
  std::vector<std::size_t> holds;  ///< the input's elements that are now in `to`, in their order
  /// Whether `to` is also made of bytes that are no element: past an end, or never written.
  bool unknown = false;
  std::optional<double> value;  ///< of `to`; none where it is no element of the launch's type
  std::optional<double> right;  ///< of the elements that it holds; none where nobody compares
};

/// Block 0 of a launch small enough for a textbook's picture.
struct fold_tree {
  trial_options options;
  std::vector<fold> folds;    ///< empty: nothing to draw
  bool in_registers = false;  ///< nothing is drawn, as memory does not show all folds
};

/// A lane's access to an element in global memory.
struct lane_access {
  unsigned launch = 0, block = 0, thread = 0;
  unsigned round = 0;  ///< how many accesses of its kind to the buffer the lane has made before
  bool writes = false;
  bool inside = true;  ///< of the buffer; else the element is past its end
  cell at;
};

/// A buffer of global memory, and how many elements it holds.
struct buffer_size {
  std::string name;
  std::size_t elements = 0;
};

/// Whether `to` has another value than the elements that it holds.
bool is_wrong_value(const fold& f);

/// A trial with few enough elements to draw each of them, with all blocks and all launches.
struct grid_picture {
  trial_options options;
  std::string verdict, answer, expected;
  std::vector<unsigned> grids;  ///< blocks of each launch; empty: nothing to draw
  std::vector<buffer_size> buffers;
  std::vector<lane_access> accesses;
  std::vector<fold> results;  ///< what lanes left in global memory, in their order
  fold_tree telling;          ///< of the block that shows most: of a defect, where it happens
};

/// Whether every element arrives and the values alone show what is wrong.
bool shows_by_value(const grid_picture& g);

/// What only small launches show. Each picture has its own.
struct page_pictures {
  grid_picture grid;    ///< several blocks; of a published defect a launch that shows it
  fold_tree eight;      ///< eight elements in one block
  fold_tree two_warps;  ///< of 32 lanes: empty unless steps follow each other without a barrier
};

/// The same rung in another order of the lanes or at another length.
struct check_line {
  std::string at;
  std::string verdict;
  bool clean;
};

struct page {
  const rung* subject;
  trial outcome;
  std::string diff;  ///< from the kernel of the rung before, unified; empty for the first
  std::vector<claim_line> claims;
  std::vector<counter_line> counters;
  const hardware_counters* recorded;  ///< of this launch; null: nobody has recorded it
  std::vector<source_line> lines;
  std::vector<code_excerpt> excerpts;
  std::vector<time_line> times;  ///< by length; empty: nobody has recorded it
  block_drawing drawing;
  fold_tree tree;
  std::size_t schedules_n;  ///< the length at which the schedules were tried
  std::vector<check_line> schedules, lengths;
  std::vector<std::string> findings;  ///< under the first schedule
  std::string appendix;               ///< rung::appendix(); empty: none
  page_pictures pictures;

  /// No claim is broken, and a rung is clean under every schedule and at every length.
  bool as_expected() const;
};

/// "yes", "no", "BROKEN", or why it is none of them: "not at this size", "only with --warp 32".
const char* to_string(claim_state state);

/// "abcd" for the elements 0 to 3, "52 elements" where letters do not do.
std::string letters(const std::vector<std::size_t>& elements);

}  // namespace onefold::ladder
