// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers to which the same row of several blocks of rows belongs: x[across][outer][n] over its
// first and its last axis. A part of an answer is such rows of some blocks that follow each other;
// lanes keep their sums from one to the next, and neighbouring warps take neighbouring rows.

#include "cuda/kernels/batched/rows/reader.cuh"
#include "cuda/primitives/tile_ways.cuh"

namespace onefold::cuda {

/// Rows of one step of a lane, and vectors of each of them: a lane has four on their way.
template <class Terms, int Rows>
class across_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;

  ONEFOLD_DEVICE explicit across_rows(const rows_arguments& a)
      : a_(a), reader_(a.batch), place_(int(lane_index() % a.group) * vector_items<T>) {}

  /// Writes parts first … of a warp's groups, below outer * parts; part p of row o is o + p *
  /// outer.
  ONEFOLD_DEVICE void take_across(std::int64_t first) const {
    const std::int64_t q = first + lane_index() / a_.group, all = a_.batch.outer * a_.batch.parts;
    sum total = sum_of(q);
    join_group(total, a_.group);
    if (lane_index() % a_.group == 0 && q < all) write_sum(total, a_.batch.partials + q, all);
  }

 private:
  static constexpr int loads = 4, vectors = loads / Rows;
  struct tile {
    uint4 v[loads];
  };

  ONEFOLD_DEVICE sum sum_of(std::int64_t q) const {
    const std::int64_t part = q / a_.batch.outer, row = q - part * a_.batch.outer;
    const std::int64_t begin = part * a_.batch.part,
                       end = min(begin + a_.batch.part, a_.batch.across);
    sum sums[loads];
    if (begin < end)
      take_turns<tile>(
          begin, end, Rows, [&](std::int64_t at, tile& to) { load(at, end, row, to); },
          [&](std::int64_t at, const tile& tile) {
            add(at, end, row, tile, sums);
            return true;
          });
    sums[0].join(sums[1]);
    sums[2].join(sums[3]);
    sums[0].join(sums[2]);
    return sums[0];
  }

  // The row of a block, or nothing past the last one.
  ONEFOLD_DEVICE row_piece<T> piece(std::int64_t block, std::int64_t end, std::int64_t row) const {
    const std::int64_t there = block < end ? block : end - 1;
    row_piece<T> made = reader_.rows(there * a_.batch.outer + row, 1);
    if (block >= end) made.count = 0;
    return made;
  }
  ONEFOLD_DEVICE int place(const row_piece<T>& piece, int i) const {
    return place_ + i % vectors * int(a_.group) * vector_items<T> - piece.before;
  }
  ONEFOLD_DEVICE void load(std::int64_t at, std::int64_t end, std::int64_t row, tile& to) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) {
      const row_piece<T> current = piece(at + i / vectors, end, row);
      const int first = place(current, i);
      if (a_.aligned)
        to.v[i] = first < current.count ? load_vector(current.first + first) : reader_.nothing();
      else
        to.v[i] = reader_.load(current, first);
    }
  }
  ONEFOLD_DEVICE void add(std::int64_t at, std::int64_t end, std::int64_t row, const tile& tile,
                          sum (&sums)[loads]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) {
      if (a_.aligned) {
        Terms::add_vector(sums[i], tile.v[i]);
      } else {
        const row_piece<T> in = piece(at + i / vectors, end, row);
        Terms::add_vector(sums[i], reader_.without_neighbours(tile.v[i], in, place(in, i)));
      }
    }
  }

  const rows_arguments& a_;
  row_reader<Terms> reader_;
  int place_;
};

}  // namespace onefold::cuda
