// SPDX-License-Identifier: Apache-2.0
// Rows in pieces that several threads take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>

#include "request/tuning.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {

/// Calls take(row, pieces) for all rows, until one call fails; each thread has a `take` of its own,
/// made by start(). Fails: cancelled, as take.
template <class Start>
status by_rows(std::int64_t rows, std::int64_t row_bytes, int threads, const std::stop_token& stop,
               const Start& start) {
  constexpr std::int64_t piece_bytes = std::int64_t(1) << 16;
  row_bytes = std::max<std::int64_t>(row_bytes, 1);
  const std::int64_t step = std::max<std::int64_t>(piece_bytes / row_bytes, 1);
  const std::int64_t pieces = rows / step + (rows % step != 0);
  const bool alone = rows * row_bytes < tuning::alone_bytes;
  options stopping;
  stopping.stop = stop;
  return share({pieces, alone ? 1 : int(std::min<std::int64_t>(threads, pieces))}, stopping,
               [&](auto& next) {
                 auto take = start();
                 while (const auto i = next())
                   for (std::int64_t row = *i * step; row < std::min((*i + 1) * step, rows); ++row)
                     if (!take(row, next)) return;
               });
}

/// Calls take(first, count) for parts of a row of n elements, between which it polls. Fails:
/// cancelled.
template <class Take>
status by_parts(std::int64_t n, piece_source& pieces, const Take& take) {
  constexpr std::int64_t part = std::int64_t(1) << 16;
  for (std::int64_t at = 0; at < n; at += part) {
    if (at > 0)
      if (auto on = pieces.poll(part); !on) return on;
    take(at, std::min(part, n - at));
  }
  return {};
}

}  // namespace onefold::cpu
