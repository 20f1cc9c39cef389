// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of rows: neighbours in memory belong to one answer.
//
// Rows of up to 128 bytes: a warp copies many neighbouring ones to shared memory, several stages
// ahead. Longer ones: a group of 2^k lanes takes a row, or a part of a long one, in vectors of 16
// bytes, four or eight of them on their way.

#include "cuda/many/row_parts.cuh"
#include "cuda/many/staged_rows.cuh"
#include "cuda/parts/tile_ways.cuh"

namespace onefold::cuda {

inline constexpr int loads = 4;  // independent, of a lane

/// Rows of up to four whole vectors of 16-bit elements, whose answers take longer than their loads:
/// this lane's vector of `loads` pieces. piece i of a step is i * (32 / group) + lane /
/// group. The lanes of a group then share the answers among them.
template <class Terms>
class short_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;

  ONEFOLD_DEVICE short_rows(const rows_arguments& a, std::int64_t* words) : a_(a), words_(words) {}

  ONEFOLD_HOST_DEVICE static constexpr unsigned step_rows(unsigned group) {
    return warp_lanes / group * loads;
  }

  /// Steps first, first + stride, …: while one is shared and written, the next is on its way. No
  /// load is while answers are summed again: it would have to wait for a place.
  ONEFOLD_DEVICE void take(std::int64_t first, std::int64_t stride) const {
    ONEFOLD_ROLLED
    while (first < a_.of.answers()) {
      vector_of<T> v[loads];
      load(first, v);
      unsigned undecided;
      ONEFOLD_ROLLED
      do {
        sum sums[loads];
        ONEFOLD_UNROLL
        for (int i = 0; i < loads; ++i) Terms::add_vector(sums[i], v[i]);
        load(first + stride, v);
        undecided = share(first, sums);
        first += stride;
      } while (!any_lane(undecided != 0) && first < a_.of.answers());
      redo(first - stride, undecided);
    }
  }

 private:
  // Row i of this lane begins i * step elements behind the first one.
  struct places {
    std::int64_t row, begin, rows_apart, step;
    int in_row;
  };
  ONEFOLD_DEVICE places places_of(std::int64_t first) const {
    const std::int64_t row = first + lane_index() / a_.group, apart = warp_lanes / a_.group;
    return {row, row * a_.of.n, apart, apart * a_.of.n,
            int(lane_index() % a_.group) * vector_items<T>};
  }

  ONEFOLD_DEVICE void load(std::int64_t first, vector_of<T> (&v)[loads]) const {
    const places at = places_of(first);
    const T* const x = static_cast<const T*>(a_.of.x) + (at.begin + at.in_row);
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) {
      v[i] = row_reader<Terms>::no_items();
      if (at.row + i * at.rows_apart < a_.of.answers() && at.in_row < a_.of.n)
        v[i] = load_items(x + i * at.step);
    }
  }

  // Each lane keeps one half of the sums and gives the other away: an odd lane the lower half.
  template <int Count>
  ONEFOLD_DEVICE static void halve(sum (&sums)[loads], int mask) {
    const bool upper = (lane_index() & unsigned(mask)) != 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < Count; ++i) {
      const sum given = upper ? sums[i] : sums[i + Count];
      if (upper) sums[i] = sums[i + Count];
      sums[i].join(sum_across(given, mask));
    }
  }
  // The first row of which this lane has the answer, when they are shared; others are every
  // (32 / group)-th one.
  ONEFOLD_DEVICE std::int64_t answer_of(std::int64_t first) const {
    const unsigned group = a_.group, lane = lane_index(), groups = warp_lanes / group;
    const unsigned row = group == 1 ? 0 : (lane & 1) * 2 + (group == 4 ? lane >> 1 & 1 : 0);
    return first + std::int64_t(row) * groups + lane / group;
  }
  // Writes the answers; a bit for each that is undecided.
  ONEFOLD_DEVICE unsigned share(std::int64_t first, sum (&sums)[loads]) const {
    const unsigned group = a_.group, mine = loads / group;
    if (group >= 2) halve<2>(sums, 1);
    if (group >= 4) halve<1>(sums, 2);
    const std::int64_t row = answer_of(first), apart = warp_lanes / group;
    unsigned undecided = 0;
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < loads; ++i) {
      const std::int64_t k = row + i * apart;
      if (i < mine && k < a_.of.answers() && !write_answer(sums[i], a_.of.form, a_.of.out, k))
        undecided |= 1u << i;
    }
    return undecided;
  }
  ONEFOLD_DEVICE void redo(std::int64_t first, unsigned undecided) const {
    if constexpr (Terms::digits > 0) {
      if (!any_lane(undecided != 0)) return;
      const std::int64_t row = answer_of(first), apart = warp_lanes / a_.group;
      ONEFOLD_ROLLED
      for (unsigned i = 0; i < loads; ++i)
        redo_answers<Terms>(a_.of, (undecided >> i & 1) != 0, row + i * apart, words_);
    }
  }

  const rows_arguments& a_;
  std::int64_t* words_;
};

/// Longer rows, or parts of them.
template <class Terms>
class long_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;

  ONEFOLD_DEVICE long_rows(const rows_arguments& a, std::int64_t* words)
      : a_(a), reader_(a.of), words_(words) {}

  /// Whether a group takes a row by one step of loads without neighbours.
  ONEFOLD_DEVICE bool fits() const {
    return a_.aligned && a_.of.parts == 1 &&
           a_.of.n <= std::int64_t(a_.group) * (ahead * vector_items<T>);
  }

  ONEFOLD_DEVICE void take(std::int64_t first) const {
    finish(first, sum_of(reader_.piece(first + lane_index() / a_.group)));
  }
  /// Rows that fit: while those of one step are joined and written, the next are on their way.
  ONEFOLD_DEVICE void take_ahead(std::int64_t first, std::int64_t stride) const {
    ONEFOLD_ROLLED
    while (first < a_.of.answers()) {
      vector_of<T> v[ahead];
      load(first, v);
      bool undecided;
      ONEFOLD_ROLLED
      do {
        sum total = sum_of(v);
        load(first + stride, v);
        join_group(total);
        const std::int64_t k = answer_of(first);
        undecided = k >= 0 && !write_answer(total, a_.of.form, a_.of.out, k);
        first += stride;
      } while (!any_lane(undecided) && first < a_.of.answers());
      if constexpr (Terms::digits > 0)
        redo_answers<Terms>(a_.of, undecided, answer_of(first - stride), words_);
    }
  }

 private:
  static constexpr int ahead = sizeof(T) == 8 ? 8 : 4;  // loads of a lane in a row that fits

  ONEFOLD_DEVICE void load(std::int64_t first, vector_of<T> (&v)[ahead]) const {
    const std::int64_t row = first + lane_index() / a_.group;
    const int apart = int(a_.group) * vector_items<T>;
    const int begin = int(lane_index() % a_.group) * vector_items<T>;
    const int end = row < a_.of.answers() ? int(a_.of.n) : 0;
    const T* const at = static_cast<const T*>(a_.of.x) + (row * a_.of.n + begin);
    ONEFOLD_UNROLL
    for (int i = 0; i < ahead; ++i) {
      v[i] = row_reader<Terms>::no_items();
      if (begin + i * apart < end) v[i] = load_items(at + i * apart);
    }
  }
  ONEFOLD_DEVICE static sum sum_of(const vector_of<T> (&v)[ahead]) {
    constexpr int chains = sum::parts < 3 ? 4 : 2;
    sum sums[chains];
    ONEFOLD_UNROLL
    for (int i = 0; i < ahead; ++i) Terms::add_vector(sums[i % chains], v[i]);
    ONEFOLD_UNROLL
    for (int i = 1; i < chains; ++i) sums[0].join(sums[i]);
    return sums[0];
  }
  ONEFOLD_DEVICE void join_group(sum& total) const {
    ONEFOLD_ROLLED
    for (unsigned mask = 1; mask < a_.group; mask *= 2) total.join(sum_across(total, int(mask)));
  }
  // The row or part that this lane writes, or -1.
  ONEFOLD_DEVICE std::int64_t answer_of(std::int64_t first) const {
    const std::int64_t q = first + lane_index() / a_.group;
    return lane_index() % a_.group == 0 && q < a_.of.answers() * a_.of.parts ? q : -1;
  }
  ONEFOLD_DEVICE void finish(std::int64_t first, sum total) const {
    join_group(total);
    const std::int64_t q = answer_of(first);
    if (a_.of.parts == 1) return write_answers<Terms>(a_.of, total, q, words_);
    if (q < 0) return;
    const std::int64_t row = q / a_.of.parts, part = q - row * a_.of.parts;
    write_sum(total, a_.of.partials + (part * a_.of.answers() + row),
              a_.of.answers() * a_.of.parts);
  }

  ONEFOLD_DEVICE sum sum_of(const row_piece<T>& row) const {
    constexpr int items = vector_items<T>;
    const int apart = int(a_.group) * items, step = loads * apart;
    const int last = row.count - ((loads - 1) * apart + items);  // begin of whole vectors
    sum sums[loads];
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
            [&](std::int64_t, const tile& of) {
              ONEFOLD_UNROLL
              for (int i = 0; i < loads; ++i) Terms::add_vector(sums[i], of.v[i]);
              return true;
            }));
      } else {
        uint4 v[loads];
        load_edge(row, first, v);
        ONEFOLD_UNROLL
        for (int i = 0; i < loads; ++i) Terms::add_vector(sums[i], v[i]);
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
ONEFOLD_HOST_DEVICE constexpr std::int64_t rows_step(const rows_arguments& a) {
  if (a.rows > 0) return a.rows;
  return warp_lanes / a.group * (a.is_short ? loads : 1);
}

/// Blocks of a multiprocessor: 80 registers; 128 where eight loads of a lane are on their way.
template <class Terms>
inline constexpr int row_blocks = sizeof(typename Terms::element) == 8 ? 4 : 6;

/// Words of shared memory of a warp, of 64 bits.
template <class Terms>
ONEFOLD_HOST_DEVICE constexpr unsigned row_words(const rows_arguments& a) {
  return (a.rows > 0 ? ring_words : 0) + unsigned(Terms::digits + 1) / 2 * 2;
}

/// Shape:  x[outer][n], inner == 1, aligned to its elements, parts below 2^30 elements; out[outer];
///         one part unless n is long; any grid, blocks of up to ring_threads, a multiple of 32;
///         dynamic shared memory for row_words of 64 bits a warp.
/// Error:  none: answers are rounded once.
/// Order:  none: the same bits in every run, grid and group.
template <class Terms>
__global__ void __launch_bounds__(ring_threads, row_blocks<Terms>) many_rows(rows_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  std::int64_t* const stages = shared + warp * row_words<Terms>(a);
  const std::int64_t step = rows_step(a), stride = step * warps * gridDim.x;
  const std::int64_t first = step * (std::int64_t(blockIdx.x) * warps + warp);
  if (a.rows > 0) return staged_rows<Terms>(a, stages, stages + ring_words).take(first, stride);
  if constexpr (sizeof(typename Terms::element) == 2)
    if (a.is_short) return short_rows<Terms>(a, stages).take(first, stride);
  const long_rows<Terms> rows(a, stages);
  if (rows.fits()) return rows.take_ahead(first, stride);
  ONEFOLD_ROLLED
  for (std::int64_t at = first; at < a.of.answers() * a.of.parts; at += stride) rows.take(at);
}

}  // namespace onefold::cuda
