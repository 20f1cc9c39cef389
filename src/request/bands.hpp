// SPDX-License-Identifier: Apache-2.0
// The number of bands of an answer in the summation order of fast columns: docs/specification.md,
// section 3.
#pragma once

#include <cstdint>

#include "request/tuning.hpp"

namespace onefold {

/// Groups of the innermost reduced axis, which has rows > 0 elements.
constexpr std::int64_t groups_of(std::int64_t rows) {
  return (rows - 1) / tuning::group_rows + 1;
}

/// Bands of an answer that passes over that axis passes > 0 times. A group ends with its pass; a
/// band does not.
constexpr std::int64_t bands_of(std::int64_t passes, std::int64_t rows) {
  return (passes * groups_of(rows) - 1) / tuning::band_groups + 1;
}

}  // namespace onefold
