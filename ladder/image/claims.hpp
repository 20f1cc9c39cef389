// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pieces that several image rungs' claims and refusals are made of.

#include "ladder/image/shape.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

image_shape shape_of(const evidence& e);

// Sizes at which a claim speaks.
/// Width, height and block are multiples of 32: rows begin with a sector, warps are whole.
bool for_whole_sectors(const evidence& e);
/// The same, and a row of the block's tile is shorter than a sector.
bool for_short_rows(const evidence& e);

// Tests.
bool loads_one_sector(const evidence& e);  ///< a request
bool no_conflict(const evidence& e);

// Numbers.
std::string load_sectors_a_request(const evidence& e);
std::string store_sectors_a_request(const evidence& e);
std::string stored_bytes_of_a_sector(const evidence& e);  ///< how full the sectors stored to are
std::string stored_bytes_a_request(const evidence& e);
std::string ways_of_conflict(const evidence& e);

// What rungs refuse; see rung::refuses.
std::string refuse_for_naive(const trial_options& options);
std::string refuse_for_tiles(const trial_options& options);
std::string refuse_for_columns(const trial_options& options);
std::string refuse_for_rows(const trial_options& options);

}  // namespace onefold::ladder
