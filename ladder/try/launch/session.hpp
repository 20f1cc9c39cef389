// SPDX-License-Identifier: Apache-2.0
#pragma once
// All launches of a kernel, in a child process that may crash or never end. The child tells each
// result as a line of JSON when it has it, so that what came before a crash is not lost.

#include "ladder/try/report/report.hpp"
#include "ladder/try/source/kernels_in.hpp"

namespace onefold::ladder::learner {

struct session_plan {
  std::string file;    ///< the learner's
  std::string object;  ///< the shared object made of it
  kernel_source kernel;
  std::size_t n = 0;
  unsigned block = 0;
  std::optional<unsigned> grid;
  std::optional<std::size_t> shared_bytes;
  reduction op = reduction::sum;
  std::vector<simt::schedule> orders;
  std::string arguments;  ///< --args
  std::string type;       ///< --type, for a check where the kernel is no template
  double limit_s = 0;
};

struct session_result {
  std::string refused;  ///< why there was no launch
  std::string type;     ///< of the input's elements
  unsigned grid = 0;
  std::string of;  ///< " of products", " of each pair", or nothing
  bool takes_length = true;
  std::vector<std::string> arguments;
  std::vector<try_run> runs;
  std::optional<simt::counts> counts;
  std::vector<try_defect> defects;
  std::vector<std::string> cleared;      ///< buffers that the host must clear
  std::optional<unsigned> better_grid;   ///< with which the kernel is clean at the full length
  std::optional<unsigned> better_block;  ///< a power of two, with which it is; 0: with none
  bool interrupted = false;
};

session_result run_session(const session_plan& plan);

}  // namespace onefold::ladder::learner
