// SPDX-License-Identifier: Apache-2.0
// What g++'s C++ library and headers take from the glibc that they were compiled with, for programs
// that run on an earlier one (glibc.cmake).
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

extern "C" {

// glibc 2.36. std::random_device calls it.
__attribute__((visibility("hidden"))) std::uint32_t arc4random() {
  std::uint32_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != ssize_t(sizeof bits))
    if (errno != EINTR) std::abort();
  return bits;
}

// glibc 2.32: whether the process has one thread, so that reference counts need no atomic
// operation. No answer is wrong but "yes".
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
}
