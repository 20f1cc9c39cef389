// SPDX-License-Identifier: Apache-2.0
#pragma once
// Drawings in characters: lanes over steps, one request over the banks or over the sectors, and
// the cells of a small tree.

#include "ladder/page/page.hpp"

namespace onefold::ladder {

/// One character for a few lanes (# all work, + some, . none), bars between warps.
std::string lane_strip(const std::vector<bool>& working, unsigned warp, unsigned lanes_a_character);

/// The word that each wavefront takes from each bank: for each bank its words in order, each with
/// its first lane. A request of more bytes than a row takes several phases, one after the other.
using bank_column = std::vector<std::pair<std::size_t, unsigned>>;
std::vector<bank_column> words_by_bank(const simt::lane_addresses& request);

/// The lane numbers of a request by bank: a row for each wavefront that the fullest bank needs.
std::string bank_map(const simt::lane_addresses& request, const std::string& indent);

/// A line of global memory that a request touches.
struct touched_line {
  std::size_t number;                           ///< from the start of the buffer
  std::array<bool, simt::line_bytes> wanted{};  ///< bytes
  bool sector_touched(unsigned sector) const;
  unsigned wanted_bytes() const;
};
std::string bytes_text(unsigned count);  ///< "1 byte", "2 bytes"
std::vector<touched_line> lines_of(const simt::lane_addresses& request);

/// A row for each line: # bytes that were asked for, . bytes that only their sector brings along.
std::string sector_strip(const simt::lane_addresses& request, const std::string& indent);

/// What every cell holds after each step, in letters; "." where nothing was stored.
std::string fold_table(const fold_tree& tree, const std::string& indent);

/// The cells that the picture of a tree has columns for, shared memory first.
std::vector<cell> columns_of(const fold_tree& tree);

}  // namespace onefold::ladder
