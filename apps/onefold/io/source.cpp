// SPDX-License-Identifier: Apache-2.0
// Opens and reads inputs with POSIX calls.
#include "io/source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "messages.hpp"

namespace onefold::program {
namespace {

// The longest time that a silent stream delays a stop request.
constexpr int poll_ms = 50;

// O_NONBLOCK: opening a FIFO without a writer would block in open(), where no stop can reach it.
constexpr int how_to_open = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

bool opened_for_reading(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

// Files of /proc, and of file systems that generate their contents on reading, report 0 bytes.
bool holds_more_than_it_says(int descriptor, const struct stat& about) {
  char first;
  return about.st_size == 0 && ::pread(descriptor, &first, 1, 0) != 0;
}

std::optional<std::uint64_t> remaining_bytes(int descriptor, const struct stat& about) {
  if (!S_ISREG(about.st_mode) || holds_more_than_it_says(descriptor, about)) return std::nullopt;
  // Standard input may be a file that another program has read in part.
  const off_t here = std::max<off_t>(0, ::lseek(descriptor, 0, SEEK_CUR));
  return std::uint64_t(std::max<off_t>(0, about.st_size - here));
}

}  // namespace

result<source> source::open(const std::string& name) {
  source opened;
  opened.name_ = name == "-" ? "standard input" : name;
  opened.descriptor_ = name == "-" ? STDIN_FILENO : ::open(name.c_str(), how_to_open);
  struct stat about {};
  if (opened.descriptor_ < 0 || ::fstat(opened.descriptor_, &about) != 0)
    return messages::cannot_open(opened.name_, errno);
  if (S_ISDIR(about.st_mode)) return messages::cannot_open(opened.name_, EISDIR);
  if (!opened_for_reading(opened.descriptor_)) return messages::cannot_open(opened.name_, EBADF);
  opened.size_bytes_ = remaining_bytes(opened.descriptor_, about);
  opened.device_ = S_ISCHR(about.st_mode) && ::isatty(opened.descriptor_) == 0;
  if (opened.size_bytes_) ::posix_fadvise(opened.descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  return opened;
}

source::source(source&& other) noexcept
    : name_(std::move(other.name_)), size_bytes_(other.size_bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)), device_(other.device_) {}

source& source::operator=(source&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(device_, other.device_);
  return *this;
}

source::~source() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

bool source::wait_for_bytes(const std::stop_token& stop) const {
  pollfd wanted{descriptor_, POLLIN, 0};
  while (!stop.stop_requested())
    if (::poll(&wanted, 1, poll_ms) != 0 && wanted.revents != 0) return true;
  return false;
}

result<std::size_t> source::read_some(std::span<std::byte> into, const std::stop_token& stop) {
  if (into.empty()) return std::size_t{0};
  while (true) {
    if (!size_bytes_ && !wait_for_bytes(stop)) return std::size_t{0};
    const ssize_t got = ::read(descriptor_, into.data(), into.size());
    if (got >= 0) return std::size_t(got);
    if (errno != EINTR && errno != EAGAIN) return messages::cannot_read(name_, errno);
    if (stop.stop_requested()) return std::size_t{0};
  }
}

result<std::size_t> source::fill(std::span<std::byte> into, const std::stop_token& stop) {
  std::size_t filled = 0;
  while (filled < into.size() && !stop.stop_requested()) {
    const auto got = read_some(into.subspan(filled), stop);
    if (!got) return got.why();
    if (*got == 0) break;
    filled += *got;
  }
  return filled;
}

result<std::uint64_t> source::position() const {
  const off_t here = ::lseek(descriptor_, 0, SEEK_CUR);
  if (here < 0) return messages::cannot_read(name_, errno);
  return std::uint64_t(here);
}

status source::seek(std::uint64_t position) {
  if (::lseek(descriptor_, off_t(position), SEEK_SET) < 0)
    return messages::cannot_read(name_, errno);
  return {};
}

result<std::size_t> source::fill_at(std::uint64_t position, std::span<std::byte> into) const {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const auto rest = into.subspan(filled);
    const ssize_t got = ::pread(descriptor_, rest.data(), rest.size(), off_t(position + filled));
    if (got == 0) break;
    if (got > 0)
      filled += std::size_t(got);
    else if (errno != EINTR && errno != EAGAIN)
      return messages::cannot_read(name_, errno);
  }
  return filled;
}

result<std::uint64_t> source::skip(std::uint64_t bytes) {
  std::array<std::byte, 16384> dropped;
  std::uint64_t done = 0;
  while (done < bytes) {
    const auto wanted = std::size_t(std::min<std::uint64_t>(dropped.size(), bytes - done));
    const auto got = read_some(std::span(dropped).first(wanted));
    if (!got) return got.why();
    if (*got == 0) break;
    done += *got;
  }
  return done;
}

}  // namespace onefold::program
