// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels whose costs every textbook gives: transposes, with and without padding.

#include "tests/simt/planted.hpp"

namespace onefold::simt::test {

inline constexpr unsigned matrix_side = 256;
inline constexpr unsigned tile_side = 32;
inline constexpr unsigned tile_rows =
    8;  ///< of threads; each lane moves tile_side / tile_rows items

extern const test_kernel transpose_kernels[];  ///< naive, tile of 32 words a row, tile of 33

}  // namespace onefold::simt::test
