// SPDX-License-Identifier: Apache-2.0
// How the lanes of a launch share x[outer][n][inner]: element (o, part, c) of all lanes has every
// `parts`-th element of column (o, c). So neighbouring lanes read neighbouring elements, however
// few columns there are.
#pragma once

#include <cstdint>
#include <numeric>

#include "onefold/detail/config.hpp"

namespace onefold::cuda {

/// Whether threads of a block that have parts of one column, `inner` threads apart, join them: then
/// no block has lanes of two planes.
ONEFOLD_HOST_DEVICE constexpr bool block_joins(std::int64_t parts, std::int64_t inner,
                                               unsigned threads) {
  return 2 * inner <= threads && parts * inner % threads == 0;
}
/// The parts of a column that are written.
ONEFOLD_HOST_DEVICE constexpr std::int64_t written_parts(std::int64_t parts, std::int64_t inner,
                                                         unsigned threads) {
  return block_joins(parts, inner, threads) ? parts * inner / threads : parts;
}
/// The largest number of parts, up to `most` of them, that blocks join, if that is half of them.
constexpr std::int64_t joined_parts(std::int64_t most, std::int64_t inner, unsigned threads) {
  const std::int64_t unit = threads / std::gcd(std::int64_t(threads), inner);
  const std::int64_t parts = most / unit * unit;
  return 2 * inner <= threads && parts > most / 2 ? parts : most;
}

}  // namespace onefold::cuda
