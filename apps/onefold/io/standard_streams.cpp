// SPDX-License-Identifier: Apache-2.0
// Standard descriptors, colour and writing.
#include "io/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "messages.hpp"

namespace onefold::program {
namespace {

bool silent = false;

bool set_and_not_empty(const char* variable) noexcept {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != 0;
}

bool wait_until_writable(int descriptor) noexcept {
  pollfd wanted{descriptor, POLLOUT, 0};
  return ::poll(&wanted, 1, -1) > 0;
}

}  // namespace

void guard_standard_streams() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // open() takes the lowest free number, which is this one. The mode is inverted, so that reading
    // a closed standard input and writing to a closed standard output still fail.
    const int mode = descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY;
    if (::open("/dev/null", mode) < 0) return;
  }
}

bool is_terminal(int descriptor) noexcept {
  return ::isatty(descriptor) != 0;
}

bool takes_colour(int descriptor) noexcept {
  if (set_and_not_empty("NO_COLOR")) return false;
  if (set_and_not_empty("CLICOLOR_FORCE")) return true;
  const char* terminal = std::getenv("TERM");
  return is_terminal(descriptor) && terminal != nullptr && std::string_view(terminal) != "dumb";
}

status write_all(int descriptor, std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(std::size_t(written));
    else if (errno == EAGAIN)
      wait_until_writable(descriptor);
    else if (errno == EPIPE)
      return {status_code::io_error, ""};
    else if (errno != EINTR)
      return messages::cannot_write(name, errno);
  }
  return {};
}

void silence_complaints() noexcept {
  silent = true;
}

void complain(std::string_view text) noexcept {
  if (silent) return;
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(std::size_t(written));
  }
}

}  // namespace onefold::program
