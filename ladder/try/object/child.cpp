// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/object/child.hpp"

#include "ladder/try/object/interrupts.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t max_output_bytes = std::size_t{16} << 20;
constexpr int no_such_program = 127;
// Of a command: an object with a long array.
constexpr rlim_t max_file_bytes = rlim_t{256} << 20;

// How long an interrupt that comes just before a wait can go unseen, and memory can grow.
constexpr std::chrono::milliseconds longest_wait{50};
// Between the end of the output and that of the child.
constexpr std::chrono::milliseconds shortest_wait{1};

/// The child's first steps: it dies with the program, is killed with its own children, leaves no
/// core file, and never waits for the keyboard.
void settle_in() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (empty >= 0) dup2(empty, STDIN_FILENO);
}

/// Whether there may be more to read.
bool read_some(int fd, std::string& output) {
  std::array<char, 1 << 16> bytes;
  const ssize_t got = read(fd, bytes.data(), bytes.size());
  if (got < 0) return errno == EINTR;
  const std::size_t room = max_output_bytes - std::min(max_output_bytes, output.size());
  output.append(bytes.data(), std::min(static_cast<std::size_t>(got), room));
  return got > 0;
}

/// 0 when the process is gone.
std::size_t resident_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::size_t pages = 0, resident_pages = 0;
  file >> pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// 0 when the process is gone.
double processor_seconds(pid_t process) {
  clockid_t of_process{};
  timespec used{};
  if (clock_getcpuclockid(process, &of_process) != 0) return 0;
  if (clock_gettime(of_process, &used) != 0) return 0;
  return double(used.tv_sec) + double(used.tv_nsec) * 1e-9;
}

bool must_end(const child_result& result) {
  return result.out_of_time || result.out_of_memory || result.interrupted;
}

bool has_ended(pid_t child) {
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT | WNOHANG) == 0 &&
         ended.si_pid == child;
}

/// Reads to the end of the child, which may come after that of its output, a limit or an interrupt.
void collect(pid_t child, int fd, const child_limits& limits, child_result& result) {
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(
                                      std::chrono::duration<double>(limits.clock_s));
  bool more = true;
  while (more || !has_ended(child)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now());
    result.out_of_time = left.count() <= 0 || processor_seconds(child) > limits.processor_s;
    result.out_of_memory = resident_bytes(child) > max_memory_bytes;
    result.interrupted = interrupts_held::any();
    if (must_end(result)) return;
    pollfd ready{more ? fd : -1, POLLIN, 0};
    const auto wait = std::min(left, more ? longest_wait : shortest_wait);
    if (poll(&ready, 1, static_cast<int>(wait.count())) > 0) {
      more = read_some(fd, result.output);
    }
  }
}

/// Until it is waited for, the child keeps its number, so that the group's is no other's.
void bury(pid_t child, child_result& result) {
  siginfo_t ended;
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
}

}  // namespace

child_result run_child(const std::function<int(int fd)>& work, const child_limits& limits) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    settle_in();
    _exit(work(ends[1]));
  }
  close(ends[1]);
  child_result result;
  if (child > 0) {
    collect(child, ends[0], limits, result);
    if (must_end(result)) kill(child, SIGKILL);
    bury(child, result);
  }
  close(ends[0]);
  if (child < 0) throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
  return result;
}

child_result run_command(const std::vector<std::string>& words, const std::string& folder,
                         double clock_s, std::size_t max_address_space_bytes) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return run_child(
      [&pointers, &folder, max_address_space_bytes](int fd) {
        setenv("TMPDIR", folder.c_str(), 1);
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        // Last: a program that maps more than that already (AddressSanitizer does) gets no memory
        // between this line and the next.
        const rlimit room{max_address_space_bytes, max_address_space_bytes};
        const rlimit file{max_file_bytes, max_file_bytes};
        setrlimit(RLIMIT_FSIZE, &file);
        setrlimit(RLIMIT_AS, &room);
        execvp(pointers.front(), pointers.data());
        return no_such_program;
      },
      {clock_s, clock_s});
}

}  // namespace onefold::ladder::learner
