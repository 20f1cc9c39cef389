// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program under `try --main` while it runs: its device, its memory, what was found so far. There
// is one in a process. What it finds is written at once, as a line of JSON, so that nothing is lost
// when the program crashes.

#include "ladder/json/simt.hpp"
#include "ladder/try/main/program_memory.hpp"
#include "simt/device.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>

namespace onefold::ladder::learner {

/// What a run of a program needs to know.
struct program_plan {
  std::string file;    ///< the learner's
  std::string object;  ///< the shared object made of it
  std::string output;  ///< the file that takes what the program prints
  std::vector<std::string> arguments;
  std::map<unsigned, std::string> buffers;  ///< names by line
  simt::schedule order = simt::schedule::forward;
};

/// The launches of a line that look alike.
struct launch_total {
  unsigned line;
  std::string text;  ///< "sum_blocks<<<64, 256, 1024>>>"
  unsigned times;
  simt::counts counts;
};

/// Tells the memory of a program what the kernels of a launch use.
class use_watch : public simt::observer {
 public:
  explicit use_watch(program_memory& memory) : memory_(memory) {}
  void access(const simt::memory_access& a) override {
    if (a.where == simt::space::global && a.inside) memory_.note_use(a.offset, a.writes);
  }

 private:
  program_memory& memory_;
};

class running_program {
  simt::device device_;  // before the memory that is its

 public:
  running_program(const program_plan& plan, int fd);

  static running_program* current();

  /// The line of the program to which a call returns, the file named as it was typed.
  simt::location line_of(std::uintptr_t return_address) const;
  simt::location line_of(const void* pc) const {
    return line_of(reinterpret_cast<std::uintptr_t>(pc));
  }
  bool is_program(const simt::location& place) const;

  void tell(const json& event) const;
  void found(const std::string& kind, const simt::location& place, const std::string& detail,
             const simt::location& other = {}, std::uint64_t times = 1) const;
  /// The last line: how it ended. Without an exit code it has crashed.
  void tell_end(std::optional<int> exit_code);

  cudaError_t fail(cudaError_t error) { return last_ = error; }
  cudaError_t fail_for_good(cudaError_t error) { return lost_ = last_ = error; }
  /// The error that every call returns once a launch has broken the device.
  cudaError_t lost() const { return lost_; }
  cudaError_t last_error(bool forget);

  void launch(const launch_request& request, simt::kernel_call call);
  void waited();
  /// A launch for which the host has not waited.
  const std::optional<simt::location>& pending() const { return pending_; }
  /// A copy that the host does not wait for has that use of an allocation.
  void started_copy(allocation& allocation, bool writes, const simt::location& place);

  std::string buffer_name(const simt::location& place) const;

  program_memory memory;
  std::size_t dynamic_shared_limit;
  std::set<void*> events, streams;
  bool measures_time = false;

 private:
  launch_total& total_of(unsigned line, const std::string& text);
  bool refuses(const launch_request& request, const simt::location& place);
  void run(const launch_request& request, simt::kernel_call call, const simt::location& place);
  void tell_findings();
  void check_end();

  const program_plan& plan_;
  int fd_;
  use_watch watch_;
  cudaError_t last_ = cudaSuccess, lost_ = cudaSuccess;
  std::optional<simt::location> pending_;
  std::vector<launch_total> launches_;  ///< in the order of their first
  bool ended_ = false;
};

/// Device memory is open while one lives.
class device_access {
 public:
  explicit device_access(running_program& program) : program_(program) { program.memory.open(); }
  device_access(const device_access&) = delete;
  device_access& operator=(const device_access&) = delete;
  ~device_access() { program_.memory.close(); }

 private:
  running_program& program_;
};

/// Runs the program of a plan and never returns; what it tells goes to fd.
[[noreturn]] void run_program(const program_plan& plan, int fd);

}  // namespace onefold::ladder::learner
