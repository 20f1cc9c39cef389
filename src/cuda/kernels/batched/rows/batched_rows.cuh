// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of rows: neighbours in memory belong to one answer.
//
// Which way rows go: those of which a vector of 16 bytes holds several (packed_rows) or several of
// which are N vectors (block_rows), if their form is plain; whole vectors (held_rows); others of up
// to 128 bytes by way of shared memory (staged_rows). The rest, and parts of very long rows, are
// taken by groups of 2^k lanes that read what lies about the row as well, and leave it out.

#include "cuda/kernels/batched/batched_parts.cuh"
#include "cuda/kernels/batched/rows/across.cuh"
#include "cuda/kernels/batched/rows/blocks.cuh"
#include "cuda/kernels/batched/rows/held.cuh"
#include "cuda/kernels/batched/rows/staged.cuh"
#include "cuda/kernels/batched/rows/tiled.cuh"
#include "cuda/primitives/tile_ways.cuh"

namespace onefold::cuda {

inline constexpr int loads = 4;  // independent, of a lane, and as many on their way

/// Rows of any length and place, or parts of them.
template <class Terms>
class long_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;

  ONEFOLD_DEVICE long_rows(const rows_arguments& a, std::int64_t* words)
      : a_(a), reader_(a.batch), words_(words) {}

  ONEFOLD_DEVICE void take(std::int64_t first) const {
    finish(first, sum_of(reader_.piece(first + lane_index() / a_.group)));
  }
  /// Of x[across][outer][n], whose parts are its rows.
  ONEFOLD_DEVICE void take_across(std::int64_t first) const {
    const std::int64_t q = first + lane_index() / a_.group, all = a_.batch.outer * a_.batch.parts;
    row_piece<T> row = reader_.rows(min(q, all - 1), 1);
    if (q >= all) row.count = 0;
    sum total = sum_of(row);
    join_group(total, a_.group);
    if (lane_index() % a_.group == 0 && q < all) write_sum(total, a_.batch.partials + q, all);
  }

 private:
  // The row or part that this lane writes, or -1.
  ONEFOLD_DEVICE std::int64_t answer_of(std::int64_t first) const {
    const std::int64_t q = first + lane_index() / a_.group;
    return lane_index() % a_.group == 0 && q < a_.batch.answers() * a_.batch.parts ? q : -1;
  }
  ONEFOLD_DEVICE void finish(std::int64_t first, sum total) const {
    join_group(total, a_.group);
    const std::int64_t q = answer_of(first);
    if (a_.batch.parts == 1) {
      const bool certified = q < 0 || write(total, q);
      if constexpr (Terms::digits > 0) fallback_answers<Terms>(a_.batch, !certified, q, words_);
      return;
    }
    if (q < 0) return;
    const std::int64_t row = q / a_.batch.parts, part = q - row * a_.batch.parts;
    write_sum(total, a_.batch.partials + (part * a_.batch.answers() + row),
              a_.batch.answers() * a_.batch.parts);
  }

  ONEFOLD_DEVICE bool write(const sum& total, std::int64_t k) const {
    return is_plain<Terms>(a_.batch.form) ? write_row<Terms, true>(total, a_.batch, a_.by, k)
                                          : write_row<Terms, false>(total, a_.batch, a_.by, k);
  }

  ONEFOLD_DEVICE sum sum_of(const row_piece<T>& row) const {
    constexpr int items = vector_items<T>;
    const int apart = int(a_.group) * items, step = loads * apart;
    const int last = row.count - ((loads - 1) * apart + items);  // begin of whole vectors
    sum sums[4];
    struct tile {
      vector_of<T> v[loads];
    };
    int first = int(lane_index() % a_.group) * items - row.before;
    ONEFOLD_ROLLED
    while (first < row.count) {
      if (0 <= first && first <= last) {
        first = int(take_turns<tile>(
            first, std::int64_t(last) + 1, step,
            [&](std::int64_t at, tile& to) {
              ONEFOLD_UNROLL
              for (int i = 0; i < loads; ++i) to.v[i] = load_items(row.first + at + i * apart);
            },
            [&](std::int64_t, const tile& tile) {
              ONEFOLD_UNROLL
              for (int i = 0; i < loads; ++i) Terms::add_vector(sums[i % 4], tile.v[i]);
              return true;
            }));
      } else {
        uint4 v[loads];
        load_edge(row, first, v);
        ONEFOLD_UNROLL
        for (int i = 0; i < loads; ++i) Terms::add_vector(sums[i % 4], v[i]);
        first += step;
      }
    }
    sums[0].join(sums[1]);
    sums[2].join(sums[3]);
    sums[0].join(sums[2]);
    return sums[0];
  }
  ONEFOLD_DEVICE void load_edge(const row_piece<T>& row, int first, uint4 (&v)[loads]) const {
    const int apart = int(a_.group) * vector_items<T>;
    if (a_.aligned) {
      ONEFOLD_UNROLL
      for (int i = 0; i < loads; ++i) {
        v[i] = reader_.nothing();
        if (first + i * apart < row.count) v[i] = load_vector(row.first + first + i * apart);
      }
      return;
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) v[i] = reader_.load(row, first + i * apart);
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) v[i] = reader_.without_neighbours(v[i], row, first + i * apart);
  }

  const rows_arguments& a_;
  row_reader<Terms> reader_;
  std::int64_t* words_;
};

/// Rows of a warp's step.
template <class Terms>
ONEFOLD_HOST_DEVICE constexpr std::int64_t rows_step(const rows_arguments& a) {
  if (a.rows > 0) return a.rows;
  if (a.batch.across > 1) return warp_lanes / a.group;
  return warp_lanes / a.group * (a.vectors > 0 ? held_loads<Terms> / a.vectors : 1);
}

/// Blocks of a multiprocessor: 80 registers; 128 where eight loads of a lane are on their way.
template <class Terms>
inline constexpr int row_blocks = held_loads<Terms> == 8 ? 4 : 6;

/// Words of shared memory of a warp, of 64 bits.
template <class Terms>
ONEFOLD_HOST_DEVICE constexpr unsigned row_words(const rows_arguments& a) {
  return unsigned(a.tile > 0   ? tile_words
                  : a.rows > 0 ? ring_words
                               : 0) +
         unsigned(Terms::digits + 1) / 2 * 2;
}

/// Whether rows were so short that there is a way of their own.
template <class Terms, bool Plain>
ONEFOLD_DEVICE bool take_few(const rows_arguments& a, std::int64_t* stages, std::int64_t warp,
                             std::int64_t warps) {
  std::int64_t* const words = stages + ring_words;
  if (take_packed<Terms, Plain>(a, words, warp, warps)) return true;
  if constexpr (Terms::digits > 0) return take_blocks<Terms, Plain>(a, stages, words, warp, warps);
  return false;
}
/// The same of plain forms, and of means and norms of f32.
template <class Terms>
ONEFOLD_DEVICE bool take_few(const rows_arguments& a, std::int64_t* stages, std::int64_t warp,
                             std::int64_t warps) {
  if (!are_vectors(a.batch)) return false;
  if (is_plain<Terms>(a.batch.form)) return take_few<Terms, true>(a, stages, warp, warps);
  if constexpr (std::is_same_v<typename Terms::element, float>)
    if constexpr (Terms::reduced != accumulator::magnitudes)
      return is_quick<Terms>(a.batch.form) && take_few<Terms, false>(a, stages, warp, warps);
  return false;
}

/// Steps first, first + stride, … of rows; those of a plain form have a loop of their own.
template <class Terms, class Rows>
ONEFOLD_DEVICE void take_steps(Rows rows, const rows_arguments& a, std::int64_t first,
                               std::int64_t stride) {
  if (is_plain<Terms>(a.batch.form))
    rows.template take<true>(first, stride);
  else
    rows.template take<false>(first, stride);
}

template <class Terms, int Vectors, int Group>
ONEFOLD_DEVICE void take_held(const rows_arguments& a, std::int64_t* words, std::int64_t first,
                              std::int64_t stride) {
  take_steps<Terms>(held_rows<Terms, Vectors, Group>(a, words), a, first, stride);
}

template <class Terms>
ONEFOLD_DEVICE void take_across(const rows_arguments& a, std::int64_t* words, std::int64_t first,
                                std::int64_t stride) {
  const std::int64_t all = a.batch.outer * a.batch.parts;
  const auto take = [&](const auto& rows) {
    ONEFOLD_ROLLED
    for (std::int64_t at = first; at < all; at += stride) rows.take_across(at);
  };
  if (a.vectors == 1) return take(across_rows<Terms, 4>(a));
  if (a.vectors == 2) return take(across_rows<Terms, 2>(a));
  if (a.vectors == 4) return take(across_rows<Terms, 1>(a));
  take(long_rows<Terms>(a, words));
}

template <class Terms, class Sum>
ONEFOLD_DEVICE void take_tiles(const rows_arguments& a, std::int64_t* stages, std::int64_t first,
                               std::int64_t stride) {
  take_steps<Terms>(tiled_rows<Terms, Sum>(a, stages, stages + tile_words), a, first, stride);
}

/// Rows of so many elements have sums in Terms::short_sum.
inline constexpr std::int64_t short_row = 4096;

/// Shape:  x[outer][n], inner == 1, aligned to its elements, parts below 2^30 elements; out[outer];
///         one part unless n is long; or x[across][outer][n] to partials[Sum::parts][parts][outer],
///         parts of one block across if rows have more than four vectors a lane; any grid, blocks
///         of up to ring_threads, a multiple of 32; dynamic shared memory for row_words of 64 bits
///         a warp.
/// Error:  none: answers are rounded once.
/// Order:  none: the same bits in every run, grid and group.
template <class Terms>
__global__ void __launch_bounds__(ring_threads, row_blocks<Terms>) batched_rows(rows_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  std::int64_t* const stages = shared + warp * row_words<Terms>(a);
  const std::int64_t step = rows_step<Terms>(a), stride = step * warps * gridDim.x;
  const std::int64_t first = step * (std::int64_t(blockIdx.x) * warps + warp);
  if (a.batch.across > 1) return take_across<Terms>(a, stages, first, stride);
  if (a.tile > 0) {
    if (a.batch.parts == 1 && a.batch.n <= short_row)
      return take_tiles<Terms, typename Terms::short_sum>(a, stages, first, stride);
    return take_tiles<Terms, typename Terms::sum>(a, stages, first, stride);
  }
  if (a.rows > 0) {
    if (take_few<Terms>(a, stages, std::int64_t(blockIdx.x) * warps + warp, warps * gridDim.x))
      return;
    return take_steps<Terms>(staged_rows<Terms>(a, stages, stages + ring_words), a, first, stride);
  }
  if constexpr (sizeof(typename Terms::element) < 8 && Terms::digits > 0)
    if (a.vectors == 1) {
      if (a.group == 1) return take_held<Terms, 1, 1>(a, stages, first, stride);
      if (a.group == 2) return take_held<Terms, 1, 2>(a, stages, first, stride);
      if (a.group == 4) return take_held<Terms, 1, 4>(a, stages, first, stride);
      return take_held<Terms, 1, 8>(a, stages, first, stride);
    }
  constexpr int most = held_loads<Terms>;
  if (a.vectors == 2) return take_held<Terms, 2, 8>(a, stages, first, stride);
  if constexpr (most == 8)
    if (a.vectors == 4) return take_held<Terms, 4, 8>(a, stages, first, stride);
  if (a.vectors == most) return take_held<Terms, most, 0>(a, stages, first, stride);
  const long_rows<Terms> rows(a, stages);
  ONEFOLD_ROLLED
  for (std::int64_t at = first; at < a.batch.answers() * a.batch.parts; at += stride) rows.take(at);
}

}  // namespace onefold::cuda
