// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error for long work, wiped at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace onefold::program {

enum class progress_mode : unsigned char { automatic, always, never };

class progress {
 public:
  /// automatic: only on a terminal, and only after half a second. none: the total is not known.
  progress(progress_mode mode, std::optional<std::uint64_t> total_bytes);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void advance(std::uint64_t bytes);

 private:
  using clock = std::chrono::steady_clock;
  void draw(clock::time_point now);

  std::optional<std::uint64_t> total_bytes_;
  std::uint64_t done_bytes_ = 0;
  clock::time_point start_ = clock::now();
  clock::time_point next_draw_;
  bool wanted_;
  bool stands_ = false;
};

}  // namespace onefold::program
