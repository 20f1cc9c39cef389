// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/object/interrupts.hpp"

namespace onefold::ladder::learner {
namespace {

volatile std::sig_atomic_t came = 0;

void note(int signal) {
  came = signal;
}

}  // namespace

interrupts_held::interrupts_held() {
  came = 0;
  struct sigaction action {};
  action.sa_handler = note;  // without SA_RESTART: a wait for a child ends at once
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
}

interrupts_held::~interrupts_held() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  if (came != 0) raise(came);
}

bool interrupts_held::any() {
  return came != 0;
}

}  // namespace onefold::ladder::learner
