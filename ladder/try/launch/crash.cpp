// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/crash.hpp"

#include "ladder/try/launch/printed.hpp"
#include "ladder/try/launch/trials.hpp"
#include "ladder/try/source/source.hpp"
#include "simt/symbols.hpp"

#include <nlohmann/json.hpp>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>

namespace onefold::ladder::learner {
namespace {

int report_to = -1;
std::string learner_file;
const transcript_seal* seal_of_lines = nullptr;

// Between an address that a push misses and the stack's end lies at most one large frame.
constexpr std::uintptr_t near_stack_bytes = 1 << 16;
constexpr unsigned patience_s = 2;

struct registers {
  std::uintptr_t pc, stack;
};

registers registers_in(void* context) {
  const mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {machine.pc, machine.sp};
#else
#error "Say where this processor keeps its program counter and stack pointer."
#endif
}

std::string cause(int signal, const siginfo_t& info, void* context) {
  if (signal == SIGFPE) return "integer division by zero";
  if (signal == SIGABRT) return "it called abort, as a failed assertion does";
  if (signal == SIGILL) return "it ran into code that is no code: does a function not return?";
  const auto at = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (at - (registers_in(context).stack - near_stack_bytes) < 2 * near_stack_bytes) {
    return "its stack overflowed: endless recursion, or arrays of more than 60 KB in a lane";
  }
  return "it used an address that is no memory";
}

/// The crashing instruction if the learner wrote it, else the last access before it.
simt::location place(void* context) {
  const simt::location here = simt::locate(registers_in(context).pc + 1);  // as if it returned
  if (same_file(here.file, learner_file)) return here;
  return last_access_pc() == 0 ? simt::location{} : simt::locate(last_access_pc());
}

// Nothing here is safe in a signal handler; but the process is lost, and an alarm ends it if a
// second fault or a held lock stops the report.
void on_crash(int signal, siginfo_t* info, void* context) {
  std::signal(SIGALRM, SIG_DFL);
  alarm(patience_s);
  const simt::location where = place(context);
  const nlohmann::json event = {
      {"crash",
       {{"detail", cause(signal, *info, context)}, {"file", where.file}, {"line", where.line}}},
      {"printed", printed_so_far()}};
  const std::string line = seal_of_lines->token() +
                           event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                           "\n";
  [[maybe_unused]] const ssize_t written = write(report_to, line.data(), line.size());
  _exit(1);
}

}  // namespace

void report_crashes(int fd, const std::string& file, const transcript_seal& seal) {
  report_to = fd;
  seal_of_lines = &seal;
  learner_file = file;
  constexpr std::size_t stack_bytes = std::size_t{1} << 20;
  stack_t stack{};
  stack.ss_size = stack_bytes;
  stack.ss_sp =
      mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace onefold::ladder::learner
