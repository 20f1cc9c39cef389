// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program without its streams: arguments in, text and exit code out.

#include <string>

namespace onefold::ladder {

struct program_answer {
  std::string out, error;
  int exit_code = 0;
};

program_answer answer_command_line(int argc, const char* const* argv);

}  // namespace onefold::ladder
