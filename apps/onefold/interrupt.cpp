// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <climits>
#include <csignal>
#include <cstring>
#include <initializer_list>

#include <unistd.h>

namespace onefold::program {
namespace {

constexpr int interrupted_exit = 130;

char temporary[PATH_MAX];
volatile std::sig_atomic_t bar_stands = 0;

void on_interrupt(int) {
  if (temporary[0] != 0) ::unlink(temporary);
  constexpr char wipe[] = "\r\x1b[K";
  if (bar_stands != 0 && ::write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) {
    // Nothing is left to tell it to.
  }
  ::_exit(interrupted_exit);
}

sigset_t interrupts() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void watch_interrupts() noexcept {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_mask = interrupts();
  for (const int signal : {SIGINT, SIGTERM}) {
    // `nohup` and shells that start a job in the background leave SIGINT ignored: keep it so.
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
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
  // A name too long for the buffer is left behind rather than cut to that of another file.
  const bool fits = path.size() < sizeof temporary;
  std::memcpy(temporary, fits ? path.c_str() : "", fits ? path.size() + 1 : 1);
}

void progress_bar_stands(bool stands) noexcept {
  bar_stands = stands ? 1 : 0;
}

}  // namespace onefold::program
