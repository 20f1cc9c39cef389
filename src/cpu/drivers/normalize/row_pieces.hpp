// SPDX-License-Identifier: Apache-2.0
// Rows in pieces that several threads take.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "request/tuning.hpp"
#include "runtime/threads.hpp"

namespace onefold::cpu {

/// take(first row, one past the last) for all rows.
template <class Take>
void by_row_pieces(std::int64_t rows, std::int64_t row_bytes, int threads, const Take& take) {
  constexpr std::int64_t piece_bytes = std::int64_t(1) << 16;
  row_bytes = std::max<std::int64_t>(row_bytes, 1);
  const std::int64_t step = std::max<std::int64_t>(piece_bytes / row_bytes, 1);
  const std::int64_t pieces = rows / step + (rows % step != 0);
  std::atomic<std::int64_t> next{0};
  const auto task = [&](int) {
    for (std::int64_t i = next++; i < pieces; i = next++)
      take(i * step, std::min((i + 1) * step, rows));
  };
  if (threads <= 1 || rows * row_bytes < tuning::alone_bytes)
    task(0);
  else
    run_tasks(int(std::min<std::int64_t>(threads, pieces)), task);
}

}  // namespace onefold::cpu
