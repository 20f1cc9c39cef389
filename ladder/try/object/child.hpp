// SPDX-License-Identifier: Apache-2.0
#pragma once
// A child process with a time limit, whose output comes back as text: the compiler, and the
// learner's kernel, which may crash or never end without harm to the program.

#include <functional>
#include <string>
#include <vector>

namespace onefold::ladder::learner {

struct child_result {
  std::string output;
  int exit_code = -1;  ///< -1 when a signal ended it
  int signal = 0;      ///< that signal
  bool out_of_time = false;
  bool out_of_memory = false;
  bool interrupted = false;
};

/// Of a child's resident memory; the executor itself takes less than a tenth of it.
inline constexpr std::size_t max_memory_bytes = std::size_t{1} << 30;

/// What a child may take: seconds of a processor, without those of its own children, and seconds
/// that pass. Other work of the machine makes only the second longer.
struct child_limits {
  double processor_s, clock_s;
};

/// Of a child that always works: ten times as long on the clock.
inline child_limits processor_limit(double seconds) {
  return {seconds, 10 * seconds};
}

/// Runs work(fd) in a forked child that leads a process group of its own; what it writes to fd is
/// the output, up to 16 MiB. At a limit, or on an interrupt, the child is killed; what is left of
/// its group goes with it in every case.
/// Fails: std::runtime_error when there is no process to be had.
child_result run_child(const std::function<int(int fd)>& work, const child_limits& limits);

/// A compiler takes a tenth of it, unless a template unfolds for ever.
inline constexpr std::size_t max_compiler_bytes = std::size_t{4} << 30;

/// Runs a command, up to clock_s; its output is what it prints on either stream. Its temporary
/// files go to `folder`. Exit code 127: no such program.
child_result run_command(const std::vector<std::string>& words, const std::string& folder,
                         double clock_s, std::size_t max_address_space_bytes = max_compiler_bytes);

}  // namespace onefold::ladder::learner
