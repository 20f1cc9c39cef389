// SPDX-License-Identifier: Apache-2.0
// An input in windows, double-buffered: a thread reads the next window while the caller works on
// the current one. An input that fits one window is read on the calling thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <thread>

#include "io/source.hpp"
#include "onefold/status.hpp"

namespace onefold::program {

struct window_settings {
  std::size_t window_bytes = 8 << 20;
  /// Stops after this many bytes; none: at the end of the input.
  std::optional<std::uint64_t> limit_bytes;
  /// Whether every window but the last is full. Text is passed on as it arrives, so that an error
  /// in the first line of a slow stream is reported at once.
  bool full = true;
  /// Applied to every window by the thread that read it.
  std::function<void(std::span<std::byte>)> prepare;
};

class window_reader {
 public:
  /// Precondition: `input` outlives the reader.
  window_reader(source& input, window_settings settings);
  ~window_reader();

  /// The next window, valid until the next call; empty at the end.
  /// Fails: io_error; also where a regular file became shorter while it was read.
  result<std::span<std::byte>> next();

 private:
  struct aligned_delete {
    void operator()(std::byte* bytes) const noexcept;
  };
  struct buffer {
    std::unique_ptr<std::byte[], aligned_delete> bytes;
    std::size_t filled = 0;
    status why;
    bool full = false;
  };

  std::size_t wanted_bytes() const noexcept;
  void read_into(buffer& into, const std::stop_token& stop);
  void read_ahead(const std::stop_token& stop);
  result<std::span<std::byte>> outcome(const buffer& from) const;

  source& input_;
  window_settings settings_;
  std::uint64_t read_bytes_ = 0;
  buffer buffers_[2];
  int current_ = -1;  // the caller's buffer
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // last: stopped before the members that it uses are destroyed
};

}  // namespace onefold::program
