// SPDX-License-Identifier: Apache-2.0
// What the shapes of rows and of columns are made with.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/kernels/batched/batched.hpp"

namespace onefold::cuda {

/// Blocks of 256 lanes that keep any device busy: four on each of 264 multiprocessors.
inline constexpr std::int64_t busy_blocks = 1056;

constexpr std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

/// Whether rows, or those of columns, are whole vectors.
inline bool are_whole_vectors(const void* x, std::int64_t row_bytes) {
  return row_bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
}

/// Bytes of neighbouring rows that a warp copies to shared memory at once.
inline constexpr std::int64_t stage_bytes = 2048;

}  // namespace onefold::cuda
