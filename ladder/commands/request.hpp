// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of a command line, and the trial options that they come to.

#include "ladder/commands/gpu_climb.hpp"

#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace onefold::ladder {

struct request {
  trial_options options;
  std::string type, order = "forward", op = "sum", drive = "host";
  std::vector<std::string> names;
  std::set<std::string> given;  ///< options that the user wrote
  std::string file;             ///< of the report
  std::string gpu = "auto";
  std::size_t gpu_n = usual_gpu_n;
  bool json = false;
};

void add_size_options(CLI::App& command, request& request);
void add_schedule_options(CLI::App& command, request& request);
void add_gpu_options(CLI::App& command, request& request);

/// After parsing: what CLI11 leaves as words becomes values.
void read_words(request& request);

/// After parsing: which options of the command the user wrote.
void note_given(const CLI::App& command, request& request);

/// The rung's usual options but for what the user wrote: a twin shows its defect unasked.
trial_options options_for(const rung& r, const request& request);

}  // namespace onefold::ladder
