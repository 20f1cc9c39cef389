// SPDX-License-Identifier: Apache-2.0
// An open input: a regular file, a FIFO, a device or standard input, read sequentially.
//
// It uses read(), never mmap: truncating a mapped file in another process kills the reader by
// SIGBUS.
// Everything but a regular file is polled before it is read, so that a reader thread that waits
// for a silent writer can be stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "onefold/status.hpp"

namespace onefold::program {

class source {
 public:
  /// Opens a file by name; "-" is standard input.
  /// Fails: io_error (missing, no permission, a directory, a loop of links, closed …).
  static result<source> open(const std::string& name);

  source(source&& other) noexcept;
  source& operator=(source&& other) noexcept;
  ~source();

  /// As the user wrote it, or "standard input".
  const std::string& name() const noexcept { return name_; }
  /// The bytes from here to the end of a regular file; none for a stream, and for a file that
  /// reports none and has some (/proc).
  std::optional<std::uint64_t> size_bytes() const noexcept { return size_bytes_; }
  /// A character device that is not a terminal: /dev/zero has no end.
  bool may_be_endless() const noexcept { return device_; }

  /// Reads the available bytes, at most `into`; 0 at the end, or after a stop request.
  result<std::size_t> read_some(std::span<std::byte> into, const std::stop_token& stop = {});
  /// Reads until `into` is full; fewer bytes only at the end, or after a stop request.
  result<std::size_t> fill(std::span<std::byte> into, const std::stop_token& stop = {});
  /// The offset of the next byte of a regular file.
  result<std::uint64_t> position() const;
  /// Continues at this offset of a regular file.
  status seek(std::uint64_t position);
  /// As fill, from this offset of a regular file; several threads may call it concurrently.
  result<std::size_t> fill_at(std::uint64_t position, std::span<std::byte> into) const;
  /// Reads and discards bytes. Returns their number, which is smaller only at the end.
  result<std::uint64_t> skip(std::uint64_t bytes);

 private:
  source() = default;
  bool wait_for_bytes(const std::stop_token& stop) const;

  std::string name_;
  std::optional<std::uint64_t> size_bytes_;
  int descriptor_ = -1;
  bool device_ = false;
};

}  // namespace onefold::program
