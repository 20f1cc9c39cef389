// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lesson of the dot rungs: what each way of adding makes of a dot product that cancels.
//
// The real kernels run under the executor on ill-conditioned vectors, and their answers are held
// against the exact one. Two kinds of vectors tell two errors apart: with whole significands every
// product is rounded, and no sum of rounded products can be better than its terms; with half of
// them every product is exact, and only additions err.

#include "ladder/kernels/kernels.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder {

/// The columns, as rungs.
inline constexpr std::array<std::string_view, 5> dot_methods = {
    "dot/tree", "published/dot-kahan", "dot/kahan", "dot/two-product", "dot/exact"};

struct dot_error_row {
  element type;
  int bits;          ///< of each element's significand
  double condition;  ///< 2 sum |a b| / |a.b|
  /// |answer - exact| in ulps of the exact answer, which is rounded once: 0 is all that T can do.
  std::array<double, dot_methods.size()> ulps;
};

struct dot_error_table {
  std::size_t n;
  double condition;  ///< that was asked for
  std::uint64_t seed;
  std::vector<dot_error_row> rows;
  bool published_kahan_is_the_tree;  ///< bit for bit, in every row
};

/// Four rows: float and double, with whole and with half significands. Two blocks of 512 lanes
/// where a rung lets us choose.
/// Fails: std::invalid_argument unless n is a multiple of 512: the published kernel has no guard.
dot_error_table dot_errors(std::size_t n, double condition, std::uint64_t seed);

/// The table that the pages show.
dot_error_table usual_dot_errors();

std::string to_text(const dot_error_table& table);

}  // namespace onefold::ladder
