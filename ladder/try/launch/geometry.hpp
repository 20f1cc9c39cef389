// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shapes of a launch: of the data, of its blocks, and of the grid that covers the data.

#include "ladder/try/answer/expectation.hpp"
#include "ladder/try/launch/roles.hpp"
#include "ladder/try/source/launch_facts.hpp"

namespace onefold::ladder::learner {

/// What the blocks of a grid share out.
enum class grid_rule : unsigned char {
  elements,       ///< as many elements a lane as at the full shape
  row_blocks,     ///< a row each
  row_lanes,      ///< a row for each lane
  row_groups,     ///< a row for each y of a block; the blocks are along x
  column_blocks,  ///< a column each
  column_lanes,   ///< a column for each lane
  column_groups,  ///< a column for each x of a block; the blocks are along x
  fixed,          ///< whatever it is, only the full shape is launched
};

/// What an integer in the role of a length counts.
enum class length_unit : unsigned char { elements, components, side };

struct geometry {
  try_shape data, block, grid;  ///< at the full shape
  grid_rule rule = grid_rule::elements;
  length_unit length = length_unit::elements;
  bool flat = true;  ///< the grid covers the elements one after the other, not by row and column
  bool one_block = false;  ///< the kernel does not ask which block it is in

  try_shape grid_at(const try_shape& some) const;
  unsigned long long length_at(const try_shape& some, unsigned lanes) const;
  /// The same with other blocks of one dimension; a lane takes as many elements as before.
  geometry with_block(unsigned lanes) const;
};

struct geometry_request {
  std::optional<std::size_t> n;
  std::optional<try_shape> data, block, grid;
  std::optional<learner::expectation> expectation;
  bool takes_length = false, takes_width = false, takes_height = false;
  unsigned lanes = 1;        ///< components of an element
  bool one_cluster = false;  ///< the grid has a barrier
  launch_facts facts{};
};

/// The shapes that the request may mean, the likeliest first.
/// Fails: std::invalid_argument for a grid that cannot be launched.
std::vector<geometry> geometries(const geometry_request& request);

/// Shorter data that the kernel's sizes allow for, from a single element to one less than all.
std::vector<try_shape> shorter_shapes(const geometry& full, const geometry_request& request);

/// By default. One launch takes about 40 ms.
inline constexpr std::size_t usual_n = 16384;

}  // namespace onefold::ladder::learner
