// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of rows, in the order of docs/numerics/fast.md: within a chunk of 65536 elements, 64
// virtual lanes that fold by halves; above, the tree of the chunks.
//
// Vectors are counted from the multiple of 16 bytes at or before a chunk's first element. Slot s of
// 64 is element s % 64 of them; it has the elements of one virtual lane, in their order, as a row
// of 64 slots is a whole number of vectors. Where a chunk begins amid a vector, slots are virtual
// lanes turned round by so many places. The fold does not see that: a level adds what lies h apart
// modulo 2 h, and a + b is b + a. So every load is of 16 aligned bytes. What a vector has of others
// is -0, and so are the slots of a lane that has no vector; levels that would add nothing else are
// left out.

#include "cuda/many/fast_terms.cuh"
#include "cuda/many/packed_rows.cuh"
#include "cuda/parts/tile_ways.cuh"
#include "plan/tuning.hpp"

namespace onefold::cuda {

struct fast_rows_arguments {
  many_arguments of;  ///< parts: chunks of a row
  family what;        ///< total, magnitudes, squares
  unsigned group;  ///< lanes of a row, a power of two: short rows fill it, others have slot_lanes
  int vectors;     ///< of a lane and row: 1, 2, 8, 0 for more, or -2, -4, -8: of held_rows
  bool aligned;    ///< rows are whole vectors at multiples of 16 bytes
  int rows;        ///< of a step by way of shared memory; 0: by way of registers
};

/// The slots of one lane. Terms: |x| by a mask; x, or x * x.
template <class T, bool Squared>
class fast_slots {
 public:
  using bits = typename detail::float_format<T>::bits;
  static constexpr int items = vector_items<T>;

  ONEFOLD_DEVICE fast_slots() {
    ONEFOLD_UNROLL
    for (T& sum : sums_) sum = T(-0.0);
  }

  template <class Vector>
  ONEFOLD_DEVICE void add(const Vector& v, bits mask) {
    add(v, mask, std::make_integer_sequence<int, items>());
  }

  /// The sum of the slots of a group, in each of its lanes. Every lane of the warp calls it. Each
  /// lane of a pair keeps one half of the slots while it has more than one.
  ONEFOLD_DEVICE T fold(unsigned group) const {
    if (group < unsigned(items)) return fold_few(group);
    unsigned mask = group / 2;
    T sum;
    if constexpr (items == 4) {
      const bool upper = (lane_index() & mask) != 0;
      const T low = kept(sums_[0], sums_[2], upper, mask),
              high = kept(sums_[1], sums_[3], upper, mask);
      mask /= 2;
      sum = kept(low, high, (lane_index() & mask) != 0, mask);
    } else {
      sum = kept(sums_[0], sums_[1], (lane_index() & mask) != 0, mask);
    }
    ONEFOLD_ROLLED
    for (mask /= 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(whole_warp, sum, mask);
    sum += __shfl_xor_sync(whole_warp, sum, group / 2);
    if constexpr (items == 4) sum += __shfl_xor_sync(whole_warp, sum, group / 4);
    return sum;
  }

 private:
  template <class Vector, int... I>
  ONEFOLD_DEVICE void add(const Vector& v, bits mask, std::integer_sequence<int, I...>) {
    ((sums_[I] += term(detail::from_bits<T>(bits_in<T, I>(v) & mask))), ...);
  }
  ONEFOLD_DEVICE static T term(T x) { return Squared ? x * x : x; }

  ONEFOLD_DEVICE static T kept(T a, T b, bool upper, unsigned mask) {
    return (upper ? b : a) + __shfl_xor_sync(whole_warp, upper ? a : b, mask);
  }
  ONEFOLD_DEVICE T fold_few(unsigned group) const {
    T sums[items];
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      sums[i] = sums_[i];
      if (group == 2) sums[i] += __shfl_xor_sync(whole_warp, sums[i], 1);
    }
    ONEFOLD_UNROLL
    for (int half = items / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
  }

  T sums_[items];
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
        mask_(a.what == family::magnitudes ? bits(~fast_padding<T>::pad) : bits(~bits(0))) {}

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

/// Rows of a warp's step.
template <class T>
ONEFOLD_HOST_DEVICE constexpr std::int64_t fast_rows_step(const fast_rows_arguments& a) {
  if (a.rows > 0) return a.rows;
  if (a.vectors < 0)
    return std::int64_t(warp_lanes / a.group) *
           (held_loads<staged_fast_terms<family::total, T>> / -a.vectors);
  const int rows = a.vectors == 0 ? 1 : fast_loads / a.vectors;
  return std::int64_t(warp_lanes / a.group) * rows;
}
/// Words of shared memory of a warp in which rows are staged.
ONEFOLD_HOST_DEVICE constexpr unsigned fast_stage_words(const fast_rows_arguments& a) {
  return a.rows > 0 ? unsigned(ring_words) : 0;
}

template <family Family, class T>
ONEFOLD_DEVICE void take_staged(const fast_rows_arguments& a, std::int64_t* stage,
                                std::int64_t first, std::int64_t stride) {
  const rows_arguments as = {a.of, a.group, a.rows, a.aligned};
  staged_rows<staged_fast_terms<Family, T>>(as, stage, stage).take(first, stride);
}

template <family Family, class T>
ONEFOLD_DEVICE void take_held(const fast_rows_arguments& a, std::int64_t first,
                              std::int64_t stride) {
  using terms = staged_fast_terms<Family, T>;
  const rows_arguments as = {a.of, a.group, 0, true};
  const auto take = [&](const auto& rows) {
    if constexpr (terms::often_plain)
      if (is_plain<terms>(a.of.form)) return rows.template take<true>(first, stride);
    rows.template take<false>(first, stride);
  };
  if (a.vectors == -2) return take(held_rows<terms, 2, 8>(as, nullptr));
  if (a.vectors == -4) return take(held_rows<terms, 4, 8>(as, nullptr));
  if constexpr (sizeof(T) == 8) take(held_rows<terms, 8, 8>(as, nullptr));
}

/// Whether answers are sums of two floats, rounded once as exact ones are.
ONEFOLD_DEVICE bool is_of_two(const fast_rows_arguments& a) {
  return a.of.n == 2 && a.rows > 0 && a.what == family::total && are_vectors(a.of) &&
         is_plain<staged_fast_terms<family::total, float>>(a.of.form);
}

template <class T, bool Squared>
ONEFOLD_DEVICE void take_fast_rows(const fast_rows_arguments& a, std::int64_t* stage,
                                   std::int64_t first, std::int64_t stride) {
  if (a.vectors < 0) {
    if (Squared) return take_held<family::squares, T>(a, first, stride);
    if (a.what == family::total) return take_held<family::total, T>(a, first, stride);
    return take_held<family::magnitudes, T>(a, first, stride);
  }
  if constexpr (!Squared && std::is_same_v<T, float>)
    if (is_of_two(a)) {
      const std::int64_t warp = first / a.rows, warps = stride / a.rows;
      return packed_rows<many_terms<family::total, T>, 2>(a.of, nullptr).take(warp, warps);
    }
  if (a.rows > 0) {
    if (Squared) return take_staged<family::squares, T>(a, stage, first, stride);
    if (a.what == family::total) return take_staged<family::total, T>(a, stage, first, stride);
    return take_staged<family::magnitudes, T>(a, stage, first, stride);
  }
  const fast_rows<T, Squared> rows(a);
  if (a.vectors == 1) return rows.template take_short<1>(first, stride);
  if (a.vectors == 2) return rows.template take_short<2>(first, stride);
  if (a.vectors == 8) return rows.template take_short<8>(first, stride);
  rows.take_long(first, stride);
}

/// Shape:  x[outer][n], inner == 1, n > 0, aligned to T; out[outer]; rows of several chunks leave
///         partials[outer][parts], which many_fast_parts joins; any grid, blocks of up to
///         ring_threads, a multiple of 32; dynamic shared memory for fast_stage_words of 64 bits a
///         warp.
/// Error:  docs/numerics/fast.md, Theorem F2.
/// Order:  the CPU's: the same bits in any grid and group.
template <class T>
__global__ void __launch_bounds__(ring_threads, 4) many_fast_rows(fast_rows_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  const std::int64_t step = fast_rows_step<T>(a), stride = step * warps * gridDim.x;
  const std::int64_t first = step * (std::int64_t(blockIdx.x) * warps + warp);
  std::int64_t* const stage = shared + warp * fast_stage_words(a);
  if (a.what == family::squares)
    take_fast_rows<T, true>(a, stage, first, stride);
  else
    take_fast_rows<T, false>(a, stage, first, stride);
}

}  // namespace onefold::cuda
