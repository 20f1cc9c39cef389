// SPDX-License-Identifier: Apache-2.0
// How many bands an answer has in the order of fast columns: docs/specification.md, section 3.
#pragma once

#include <cstdint>

#include "request/tuning.hpp"

namespace onefold {

/// Groups of the innermost reduced axis, of rows > 0 elements.
constexpr std::int64_t groups_of(std::int64_t rows) {
  return (rows - 1) / tuning::group_rows + 1;
}

/// Bands of an answer that goes over that axis passes > 0 times. Groups end with a pass, bands do
/// not.
constexpr std::int64_t bands_of(std::int64_t passes, std::int64_t rows) {
  return (passes * groups_of(rows) - 1) / tuning::band_groups + 1;
}

}  // namespace onefold
