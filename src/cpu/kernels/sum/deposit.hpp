// SPDX-License-Identifier: Apache-2.0
// Adds 128-bit integers to a wide state.
#pragma once

#include <cstdint>

namespace onefold::cpu {

__extension__ typedef __int128 int128;

/// Adds k * 2^shift units to a wide sum; where shift is negative, the division is exact.
template <class Sum>
void deposit(Sum& sum, int128 k, int shift) {
  if (shift < 0) k >>= -shift, shift = 0;
  sum.deposit(std::int64_t(k & INT64_MAX), shift);
  if (const auto high = std::int64_t(k >> 63); high != 0) sum.deposit(high, shift + 63);
}

}  // namespace onefold::cpu
