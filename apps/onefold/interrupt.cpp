// SPDX-License-Identifier: Apache-2.0
// The signal handlers: they call async-signal-safe functions only.
#include "interrupt.hpp"

#include <climits>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace onefold::program {
namespace {

constexpr int interrupted_exit = 130;

struct watched {
  int signal;
  bool dumps;  // its default action ends the process with a core, which the handler keeps
};
constexpr watched all_watched[] = {
    {SIGINT, false}, {SIGTERM, false}, {SIGHUP, false}, {SIGQUIT, true}, {SIGXCPU, true}};

char temporary[PATH_MAX];
volatile std::sig_atomic_t bar_stands = 0;

void clean_up() {
  if (temporary[0] != 0) ::unlink(temporary);
  constexpr char wipe[] = "\r\x1b[K";
  if (bar_stands != 0 && ::write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) {
    // A failed write to standard error cannot be reported.
  }
}

void end_at_once(int) {
  clean_up();
  ::_exit(interrupted_exit);
}

// The signal is raised again and delivered at the return from this handler, by its default action.
void end_with_a_core(int signal) {
  clean_up();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

sigset_t interrupts() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const watched& watched : all_watched) sigaddset(&set, watched.signal);
  return set;
}

}  // namespace

void watch_interrupts() noexcept {
  struct sigaction action {};
  action.sa_mask = interrupts();
  for (const watched& watched : all_watched) {
    // `nohup` makes a process ignore SIGHUP, and shells make background jobs ignore SIGINT: both
    // stay ignored.
    struct sigaction before {};
    action.sa_handler = watched.dumps ? end_with_a_core : end_at_once;
    if (::sigaction(watched.signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(watched.signal, &action, nullptr);
  }
  // write() reports both as errors instead: EPIPE, EFBIG.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

interrupts_held::interrupts_held() noexcept {
  const sigset_t set = interrupts();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

interrupts_held::~interrupts_held() {
  const sigset_t set = interrupts();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void remove_when_interrupted(const std::string& path) noexcept {
  // A name too long for the buffer is not stored: truncated, it could name another file.
  const bool fits = path.size() < sizeof temporary;
  std::memcpy(temporary, fits ? path.c_str() : "", fits ? path.size() + 1 : 1);
}

void progress_bar_stands(bool stands) noexcept {
  bar_stands = stands ? 1 : 0;
}

}  // namespace onefold::program
