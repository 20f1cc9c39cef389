// SPDX-License-Identifier: Apache-2.0
// onefold-ladder: the textbook reductions, run on a CPU, counted and explained.
//
// Exit codes: 0 everything is as the ladder says; 1 a rung is wrong, a claim broken, or the run
// failed; 2 the command line is at fault.

#include "ladder/commands/command_line.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  const auto answer = onefold::ladder::answer_command_line(argc, argv);
  const bool shown = std::fputs(answer.out.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  std::fputs(answer.error.c_str(), stderr);
  if (shown) return answer.exit_code;
  std::fputs("onefold-ladder: standard output cannot be written\n", stderr);
  return 1;
}
