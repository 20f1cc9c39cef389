// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/main/program_faults.hpp"

#include "ladder/try/main/running_program.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <csignal>
#include <cstdio>

namespace onefold::ladder::learner {
namespace {

constexpr unsigned patience_s = 2;
constexpr std::uintptr_t near_stack_bytes = 1 << 16;

bool in_kernel = false;

struct caller {
  const running_program& program;
  simt::location place{};
};

/// Stops at the first function of the program: libraries that it calls have no lines of it.
_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  auto& search = *static_cast<caller*>(data);
  int exact = 0;  // then the address is that of the instruction, and not of the next one
  const std::uintptr_t pc = _Unwind_GetIPInfo(context, &exact);
  if (pc == 0) return _URC_END_OF_STACK;
  simt::location place = search.program.line_of(pc + static_cast<std::uintptr_t>(exact));
  if (!search.program.is_program(place)) return _URC_NO_REASON;
  search.place = std::move(place);
  return _URC_END_OF_STACK;
}

simt::location interrupted_line(const running_program& program) {
  caller search{program};
  _Unwind_Backtrace(visit, &search);
  return search.place;
}

std::uintptr_t stack_pointer(void* context) {
  const mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return machine.sp;
#else
#error "Say where this processor keeps its stack pointer."
#endif
}

std::string cause(int signal, const siginfo_t& info, void* context) {
  if (signal == SIGFPE) return "integer division by zero";
  if (signal == SIGABRT) {
    return "it called abort, as a failed assertion and an exception that nobody catches do";
  }
  if (signal == SIGILL) return "it ran into code that is no code: does a function not return?";
  const auto at = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (at == 0) return "it used a null pointer";
  if (at - (stack_pointer(context) - near_stack_bytes) < 2 * near_stack_bytes) {
    return "its stack overflowed: endless recursion, or an array too large for a function";
  }
  return "it used an address that is no memory";
}

std::string description(const allocation* allocation, std::size_t offset) {
  if (allocation == nullptr) return "device memory of no allocation";
  if (offset >= allocation->end()) {
    return fmt::format("the device memory {} bytes past the end of '{}'",
                       offset - allocation->end(), allocation->name);
  }
  if (!allocation->live) return fmt::format("'{}', which has been freed", allocation->name);
  return fmt::format("'{}', which is device memory", allocation->name);
}

/// Whether the program may go on.
bool report_touch(running_program& program, void* at, const simt::location& place) {
  const allocation* const allocation = program.memory.find(at);
  const std::size_t offset = program.memory.offset_of(at);
  const bool inside = allocation != nullptr && allocation->live && offset < allocation->end();
  if (inside && allocation->host_may_use() && program.pending()) {
    program.found("missing wait", place,
                  fmt::format("the host uses '{}' while what line {} has started may still run; "
                              "call cudaDeviceSynchronize() in between",
                              allocation->name, program.pending()->line));
    program.waited();
    program.memory.close();
    return true;
  }
  program.found("host access", place,
                fmt::format("the host uses {}; copy it with cudaMemcpy{}",
                            description(allocation, offset), inside ? "" : ", within its bounds"));
  return false;
}

// Nothing here is safe in a signal handler. The fault comes from the program's own code, though, or
// from a C function that it calls, and an alarm ends the process if a held lock stops the report.
void on_fault(int signal, siginfo_t* info, void* context) {
  std::signal(SIGALRM, SIG_DFL);
  alarm(patience_s);
  running_program& program = *running_program::current();
  const simt::location place = interrupted_line(program);
  const bool touch = signal == SIGSEGV && !in_kernel && program.memory.holds(info->si_addr);
  if (touch && report_touch(program, info->si_addr, place)) {
    alarm(0);
    return;
  }
  if (!touch) program.found("crash", place, cause(signal, *info, context));
  program.tell_end({});
  _exit(0);
}

}  // namespace

running_kernel::running_kernel() {
  in_kernel = true;
}

running_kernel::~running_kernel() {
  in_kernel = false;
}

void report_faults() {
  constexpr std::size_t stack_bytes = std::size_t{1} << 20;
  stack_t stack{};
  stack.ss_size = stack_bytes;
  stack.ss_sp =
      mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace onefold::ladder::learner
