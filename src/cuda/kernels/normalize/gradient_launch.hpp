// SPDX-License-Identifier: Apache-2.0
// How grids share out the rows of a backward pass: rows for the gradient of x, whose lanes also add
// up columns for that of the weight, which a second launch joins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/detail/exact_dot.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold::cuda {

/// Vectors of 16 bytes that a lane holds: 16 columns, of f64 8. Centred rows have two sums of each
/// column, and a lane has half of the columns.
ONEFOLD_HOST_DEVICE constexpr unsigned gradient_vectors(std::size_t item, bool centred) {
  return (item == 2 ? 2 : 4) / (centred ? 2 : 1);
}
ONEFOLD_HOST_DEVICE constexpr unsigned gradient_slots(std::size_t item, bool centred) {
  return gradient_vectors(item, centred) * unsigned(16 / item);
}
/// Lanes of a block at most.
inline constexpr unsigned gradient_lanes = 512;
/// Of a block that joins columns.
inline constexpr unsigned join_threads = 1024;

/// Words of 64 bits of dynamic shared memory of a block, in this order: weights, copies of rows
/// that are on their way, where columns of all lanes meet later, sums of warps, and words of an
/// exact sum for each warp.
struct gradient_space {
  unsigned weights, ring, sums, exact;

  ONEFOLD_HOST_DEVICE constexpr gradient_space(std::size_t item, unsigned lanes, unsigned threads,
                                               bool copies, bool centred) {
    const unsigned slots = gradient_slots(item, centred), parts = item == 8 ? 3 : 2,
                   warps = threads / 32;
    weights = lanes * slots * (item == 8 ? 8 : 4) / 8;
    ring = copies ? threads * gradient_vectors(item, centred) * 8 : 0;
    const unsigned columns = threads == lanes ? 0 : threads * parts * slots;
    ring = ring > columns ? ring : columns;
    sums = warps * 2 * parts * (centred ? 2 : 1) + 1;
    exact = warps * unsigned(item == 8 ? detail::wide_dot<double>::words
                                       : detail::wide_dot<float>::words) +
            warps;
  }
  ONEFOLD_HOST_DEVICE constexpr std::size_t bytes() const {
    return (std::size_t(weights) + ring + sums + exact) * 8;
  }
};

struct gradient_launch {
  norm_gradients rows;
  bool copies;       ///< all vectors of rows are whole, at multiples of 16 bytes
  unsigned lanes;    ///< of a row: a power of two, or a multiple of 32
  unsigned threads;  ///< of a block: all lanes of some rows
  unsigned blocks;   ///< each takes the next rows after those of all
  unsigned strips;   ///< of columns: 1, or parts of rows that no block holds
  /// Of columns: [weight, bias of centred rows][strips][blocks][parts][columns of a strip].
  std::int64_t* partials;
  std::int64_t* ambiguous;  ///< [blocks][rows of a block]: rows that are left to exact sums

  ONEFOLD_HOST_DEVICE std::size_t item() const {
    return rows.type == dtype::f64 ? 8 : rows.type == dtype::f32 ? 4 : 2;
  }
  /// Columns that the lanes of a row hold.
  ONEFOLD_HOST_DEVICE std::int64_t width() const {
    return std::int64_t(lanes) * gradient_slots(item(), rows.centred);
  }
  /// Words of the partials of the weight, or of the bias.
  ONEFOLD_HOST_DEVICE std::int64_t partials_words() const {
    return std::int64_t(strips) * blocks * width() * (item() == 8 ? 3 : 2);
  }
  /// Rows that a block takes at most.
  ONEFOLD_HOST_DEVICE std::int64_t rows_of_block() const {
    const std::int64_t groups = threads / lanes, step = blocks * groups;
    return (rows.rows + step - 1) / step * groups;
  }
  gradient_space space() const { return {item(), lanes, threads, copies, rows.centred}; }
  bool is_long() const { return strips > 1; }
  std::size_t partials_bytes() const {
    if (rows.dweight == nullptr && rows.dbias == nullptr) return 0;
    return std::size_t(partials_words()) * (rows.centred ? 16 : 8);
  }
  std::size_t ambiguous_bytes() const {
    if (rows.dx == nullptr || is_long() || blocks == 0) return 0;
    return std::size_t(blocks * rows_of_block()) * 8;
  }
};

/// shared_bytes: of a block at most, 48 KiB or more. Precondition: there is an element. Without
/// rows there are no blocks of rows.
gradient_launch gradient_launch_of(const norm_gradients& rows, unsigned multiprocessors,
                                   std::size_t shared_bytes);

}  // namespace onefold::cuda
