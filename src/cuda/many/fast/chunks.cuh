// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of rows that are no stage's, and of chunks of longer ones, by way of registers.

#include "cuda/many/fast/slots.cuh"
#include "cuda/many/fast/terms.cuh"
#include "cuda/parts/tile_ways.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

struct fast_rows_arguments {
  many_arguments of;  ///< parts: chunks of a row
  accumulator what;   ///< total, magnitudes, squares
  unsigned group;  ///< lanes of a row, a power of two: short rows fill it, others have slot_lanes
  int vectors;     ///< of a lane and row: 1, 2, 8, 0 for more, or -2, -4, -8: of held_rows
  bool aligned;    ///< rows are whole vectors at multiples of 16 bytes
  int rows;        ///< of a step by way of shared memory; 0: by way of registers
  int tile = 0;    ///< elements of a row that a step takes by tiles, at most n; 0: not by tiles
};

/// Rows, or chunks of rows, of a group of lanes.
template <class T, bool Squared>
class fast_rows {
 public:
  using reader = row_reader<fast_padding<T>>;
  using slots = fast_slots<T, Squared>;
  static constexpr int items = vector_items<T>;

  ONEFOLD_DEVICE explicit fast_rows(const fast_rows_arguments& a)
      : a_(a), reader_(a.of), place_(int(lane_index() % a.group) * items),
        mask_(a.what == accumulator::magnitudes ? bits(~fast_padding<T>::pad) : bits(~bits(0))) {}

  /// Rows of up to Vectors vectors a lane: steps of several rows, which begin at rows first, first
  /// + stride …; while one is added, the next is on its way.
  template <int Vectors>
  ONEFOLD_DEVICE void take_short(std::int64_t first, std::int64_t stride) const {
    struct step {
      uint4 v[fast_loads];
    };
    if (first >= a_.of.answers()) return;
    take_turns<step>(
        first, a_.of.answers(), stride,
        [&](std::int64_t at, step& to) {
          if (a_.aligned) return load_aligned<Vectors>(at, to.v);
          ONEFOLD_UNROLL
          for (int i = 0; i < fast_loads; ++i) {
            const row_piece<T> row = reader_.piece(row_of<Vectors>(at, i));
            to.v[i] = reader_.load(row, element_of(row, i % Vectors));
          }
        },
        [&](std::int64_t at, const step& of) {
          ONEFOLD_UNROLL
          for (int i = 0; i < fast_loads; i += Vectors) {
            const std::int64_t q = row_of<Vectors>(at, i);
            slots sums;
            add_vectors(sums, q, of.v + i, std::make_integer_sequence<int, Vectors>());
            finish(q, sums);
          }
          return true;
        });
  }

  /// The same of one chunk a group of slot_lanes, in tiles of fast_loads vectors a lane.
  ONEFOLD_DEVICE void take_long(std::int64_t first, std::int64_t stride) const {
    const std::int64_t all = a_.of.answers() * a_.of.parts;
    ONEFOLD_ROLLED
    for (std::int64_t at = first; at < all; at += stride) {
      const std::int64_t q = at + lane_index() / a_.group;
      slots sums;
      add_chunk(sums, reader_.piece(q));
      finish(q, sums);
    }
  }

 private:
  using bits = typename slots::bits;
  static constexpr int apart = int(virtual_lanes);  // a lane's vectors, in elements
  static constexpr int tile_items = fast_loads * apart;

  template <int Vectors>
  ONEFOLD_DEVICE std::int64_t row_of(std::int64_t first, int i) const {
    return first + i / Vectors * std::int64_t(warp_lanes / a_.group) + lane_index() / a_.group;
  }
  // Of the i-th vector of this lane. Rows with more than one have groups of slot_lanes.
  ONEFOLD_DEVICE int element_of(const row_piece<T>& row, int i) const {
    return place_ + i * apart - row.before;
  }

  // Without the reader's care for neighbours, which costs more than the sums do.
  template <int Vectors>
  ONEFOLD_DEVICE void load_aligned(std::int64_t first, uint4 (&v)[fast_loads]) const {
    const int n = int(a_.of.n);
    ONEFOLD_UNROLL
    for (int i = 0; i < fast_loads; ++i) {
      const std::int64_t row = row_of<Vectors>(first, i);
      const int at = place_ + i % Vectors * apart;
      v[i] = reader::nothing();
      if (row < a_.of.answers() && at < n)
        v[i] = load_vector(static_cast<const T*>(a_.of.x) + (row * n + at));
    }
  }
  template <int... I>
  ONEFOLD_DEVICE void add_vectors(slots& to, std::int64_t q, const uint4* v,
                                  std::integer_sequence<int, I...>) const {
    if (a_.aligned) {
      (to.add(v[I], mask_), ...);
    } else {
      const row_piece<T> row = reader_.piece(q);
      (to.add(reader::without_neighbours(v[I], row, element_of(row, I)), mask_), ...);
    }
  }

  ONEFOLD_DEVICE void add_chunk(slots& to, const row_piece<T>& row) const {
    const std::int64_t begin = -row.before, end = row.before + row.count;
    const std::int64_t whole = end / tile_items;
    std::int64_t tile = 0;
    if (!a_.aligned) add_edge_tile(to, row, tile++);
    struct vectors {
      vector_of<T> v[fast_loads];
    };
    if (tile < whole)
      tile = take_turns<vectors>(
          tile, whole, 1,
          [&](std::int64_t at, vectors& in) {
            const T* const from = row.first + (begin + at * tile_items + place_);
            ONEFOLD_UNROLL
            for (int i = 0; i < fast_loads; ++i) in.v[i] = load_items(from + i * apart);
          },
          [&](std::int64_t, const vectors& in) {
            ONEFOLD_UNROLL
            for (int i = 0; i < fast_loads; ++i) to.add(in.v[i], mask_);
            return true;
          });
    ONEFOLD_ROLLED
    for (; tile * tile_items < end; ++tile) add_edge_tile(to, row, tile);
  }
  ONEFOLD_DEVICE void add_edge_tile(slots& to, const row_piece<T>& row, std::int64_t tile) const {
    const int first = element_of(row, int(tile) * fast_loads);
    uint4 v[fast_loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < fast_loads; ++i) v[i] = reader_.load(row, first + i * apart);
    ONEFOLD_UNROLL
    for (int i = 0; i < fast_loads; ++i)
      to.add(reader::without_neighbours(v[i], row, first + i * apart), mask_);
  }

  // Writes the answer, or the sum of a chunk.
  ONEFOLD_DEVICE void finish(std::int64_t q, const slots& sums) const {
    const T sum = sums.fold(a_.group);
    if (lane_index() % a_.group != 0 || q >= a_.of.answers() * a_.of.parts) return;
    if (a_.of.parts == 1)
      write_fast(sum, a_.of.form, a_.of.out, q);
    else
      a_.of.partials[q] = word_of_number(sum);
  }

  const fast_rows_arguments& a_;
  reader reader_;
  int place_;
  bits mask_;
};

}  // namespace onefold::cuda
