// SPDX-License-Identifier: Apache-2.0
// Temporary files, renames and flushes of the output.
#include "io/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "interrupt.hpp"
#include "io/standard_streams.hpp"
#include "messages.hpp"

namespace onefold::program {
namespace {

constexpr int most_links = 40;  // Linux's limit

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

// The target of a link, even if it does not exist yet: renaming onto the link would replace the
// link.
std::string resolved(std::string path) {
  char real[PATH_MAX];
  for (int links = 0; links < most_links; ++links) {
    if (::realpath(path.c_str(), real) != nullptr) return real;
    const ssize_t length = ::readlink(path.c_str(), real, sizeof real);
    if (length < 0) return path;
    path.resize(real[0] == '/' ? 0 : path.rfind('/') + 1);
    path.append(real, std::size_t(length));
  }
  return path;
}

std::optional<struct stat> regular_file(const std::string& name) {
  struct stat about {};
  const int failed = name == "-" ? ::fstat(STDIN_FILENO, &about) : ::stat(name.c_str(), &about);
  if (failed != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  return about;
}

mode_t mode_for(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0) return about.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// Flushes the rename, which a crash of the machine could otherwise undo.
void flush_directory(const std::string& path) {
  const int directory = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace

result<output> output::open(const std::optional<std::string>& path) {
  output opened;
  if (!path) {
    opened.descriptor_ = STDOUT_FILENO;
    return opened;
  }
  opened.path_ = *path;
  struct stat about {};
  const bool there = ::stat(path->c_str(), &about) == 0;
  if (!there && errno == ELOOP) return messages::cannot_write(*path, ELOOP);
  if (!there || S_ISREG(about.st_mode)) {
    if (auto done = opened.open_temporary(); !done) return done;
    return opened;
  }
  opened.descriptor_ = ::open(path->c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (opened.descriptor_ < 0) return messages::cannot_write(*path, errno);
  return opened;
}

status check_not_an_input(const std::string& path, std::span<const std::string> inputs) {
  const auto target = regular_file(path);
  if (!target) return {};
  for (const std::string& name : inputs) {
    const auto read = regular_file(name);
    if (read && read->st_dev == target->st_dev && read->st_ino == target->st_ino)
      return messages::output_is_input(path, name);
  }
  return {};
}

output::output(output&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

output::~output() {
  if (!temporary_.empty()) {
    const interrupts_held held;
    ::unlink(temporary_.c_str());
    remove_when_interrupted("");
  }
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

status output::open_temporary() {
  const std::string target = resolved(path_);
  const mode_t mode = mode_for(target);
  std::string pattern = target + ".XXXXXX";
  const interrupts_held held;
  descriptor_ = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor_ < 0) return messages::cannot_write(path_, errno);
  temporary_ = pattern;
  remove_when_interrupted(temporary_);
  ::fchmod(descriptor_, mode);
  return {};
}

status output::put_in_place() {
  if (::fsync(descriptor_) != 0) return messages::cannot_write(path_, errno);
  const std::string target = resolved(path_);
  const interrupts_held held;
  if (::rename(temporary_.c_str(), target.c_str()) != 0)
    return messages::cannot_write(path_, errno);
  temporary_.clear();
  remove_when_interrupted("");
  flush_directory(target);
  return {};
}

status output::deliver(std::string_view text) {
  const std::string_view where = path_.empty() ? std::string_view("standard output") : path_;
  if (auto done = write_all(descriptor_, text, where); !done) return done;
  if (!temporary_.empty()) return put_in_place();
  // close() reports data that a network file system could not store; fd 1 itself stays open.
  const int copy = ::dup(descriptor_);
  if (copy >= 0 && ::close(copy) != 0) return messages::cannot_write(where, errno);
  return {};
}

}  // namespace onefold::program
