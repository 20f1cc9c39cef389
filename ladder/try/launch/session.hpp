// SPDX-License-Identifier: Apache-2.0
#pragma once
// All launches of a kernel, in a child process that may crash or never end. The child tells each
// result as a line of JSON when it has it, so that what came before a crash is not lost.

#include "ladder/try/answer/expectation.hpp"
#include "ladder/try/report/drawing.hpp"
#include "ladder/try/report/report.hpp"
#include "ladder/try/source/idioms.hpp"
#include "ladder/try/source/launch_facts.hpp"
#include "ladder/try/source/loops.hpp"
#include "ladder/try/source/structs_in.hpp"

namespace onefold::ladder::learner {

struct session_plan {
  std::string file;    ///< the learner's
  std::string object;  ///< the shared object made of it
  kernel_source kernel;
  std::vector<struct_source> structs;
  std::vector<std::string> empty_constants;  ///< __constant__ variables without a value
  std::optional<std::size_t> n;
  std::optional<try_shape> block, grid, data;
  std::optional<std::size_t> shared_bytes;
  launch_facts facts;
  idioms source;
  std::vector<counted_loop> loops;
  bool one_cluster = false;   ///< the grid has a barrier
  bool one_instance = false;  ///< the block's size is an argument of the template
  bool own_operator = false;  ///< the operator is try's
  std::optional<reduction> op;
  std::optional<reduction> named_op;  ///< by the name of the kernel or its functor
  std::optional<expectation_word> expected;
  std::vector<simt::schedule> orders;
  std::string arguments;  ///< --args
  std::string type;       ///< --type, for a check where the kernel is no template
  double limit_s = 0;
  launch_drawer draw;
};

struct session_result {
  std::string refused;  ///< why there was no launch
  std::string type;     ///< of the input's elements
  std::string op;
  try_shape data, block, grid;
  std::string suffix;    ///< " of products", " of each pair", or nothing
  std::string expected;  ///< "the sum of all elements"
  bool guessed = false;
  std::string assumed;   ///< of elements that are structs
  std::string launched;  ///< a launch that was found by trying; else empty
  bool one_reduction = false;
  std::vector<std::string> untested;
  std::string printed;
  std::vector<std::string> arguments;
  std::vector<try_run> runs;
  std::optional<simt::counts> counts;
  std::vector<try_defect> defects;
  std::vector<std::string> notes;      ///< with their places
  std::vector<std::string> cleared;    ///< buffers that the host must clear
  std::string lost;                    ///< which elements do not reach the answer
  std::string picture;                 ///< an SVG
  std::optional<unsigned> only_block;  ///< with others it is wrong
  bool infinite_sum_is_nan = false;
  std::optional<unsigned> better_block;  ///< a power of two, with which it is; 0: with none
  bool interrupted = false, out_of_time = false;
};

session_result run_session(const session_plan& plan);

}  // namespace onefold::ladder::learner
