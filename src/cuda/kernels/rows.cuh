// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of rows: neighbours in memory belong to one answer.
//
// A group of 2^k lanes of a warp takes a row, or a part of a long one, in vectors of 16 bytes.
// Every load is of an aligned vector; what it has of the neighbouring rows is replaced. Rows of up
// to 4 vectors: a lane takes one vector of each of four rows. Longer ones: four vectors of one row.

#include "cuda/kernels/many_terms.cuh"

namespace onefold::cuda {

inline constexpr unsigned rows_threads = 256;
inline constexpr int loads = 4;  // independent, of a lane

/// Rows of at most that many vectors are short; a group of theirs has as many lanes.
inline constexpr int short_vectors = 4;

struct rows_arguments {
  many_arguments of;
  unsigned group;  ///< lanes of a row: 1, 2, 4 of a short one; 2 … 32 of a long one
  bool is_short;
  bool aligned;  ///< rows are whole vectors at multiples of 16 bytes
};

/// A row or a part of one. Elements are counted from its first one.
template <class T>
struct row_piece {
  const T* first;
  int count;
  int before;  ///< elements between the aligned address at or before the first and it
};

template <class Terms>
class row_reader {
 public:
  using T = typename Terms::element;
  static constexpr int items = vector_items<T>;

  ONEFOLD_DEVICE explicit row_reader(const many_arguments& a)
      : a_(a), x_(static_cast<const T*>(a.x)), end_(x_ + a.answers() * a.n) {}

  /// Part q % parts of row q / parts; nothing behind the last one.
  ONEFOLD_DEVICE row_piece<T> piece(std::int64_t q) const {
    if (q >= a_.answers() * a_.parts) return {x_, 0, 0};
    if (a_.parts == 1) return at(q * a_.n, int(a_.n));
    const std::int64_t row = q / a_.parts, begin = (q - row * a_.parts) * a_.part;
    return at(row * a_.n + begin, int(min(a_.part, a_.n - begin)));
  }

  /// The row at an element of x; nothing, if there is none.
  ONEFOLD_DEVICE row_piece<T> row(std::int64_t begin, bool exists) const {
    return exists ? at(begin, int(a_.n)) : row_piece<T>{x_, 0, 0};
  }

  /// A vector that adds nothing.
  ONEFOLD_DEVICE static uint4 nothing() { return make_uint4(even, odd, even, odd); }

  /// The vector that begins at element `first` of a piece, with neighbours as they are.
  ONEFOLD_DEVICE uint4 load(const row_piece<T>& row, int first) const {
    if (first >= row.count) return nothing();
    const T* const at = row.first + first;
    if ((first >= 0 || at >= x_) && (first + items <= row.count || at + items <= end_))
      return load_vector(at);
    return load_some(at, max(0, -first), min(items, row.count - first));
  }
  /// The same with -0 or 0 in place of neighbours.
  ONEFOLD_DEVICE static uint4 without_neighbours(const uint4& v, const row_piece<T>& row,
                                                 int first) {
    if (first >= 0 && first + items <= row.count) return v;
    const int from = -first * int(sizeof(T)), to = (row.count - first) * int(sizeof(T));
    return make_uint4(kept(v.x, even, from, to), kept(v.y, odd, from - 4, to - 4),
                      kept(v.z, even, from - 8, to - 8), kept(v.w, odd, from - 12, to - 12));
  }

 private:
  // The words of a vector of elements that add nothing: the first of a pair, and the second.
  static constexpr std::uint32_t even = sizeof(T) == 2   ? std::uint32_t(Terms::pad) * 0x10001u
                                        : sizeof(T) == 4 ? std::uint32_t(Terms::pad)
                                                         : 0;
  static constexpr std::uint32_t odd =
      sizeof(T) == 8 ? std::uint32_t(std::uint64_t(Terms::pad) >> 32) : even;

  ONEFOLD_DEVICE row_piece<T> at(std::int64_t begin, int count) const {
    const T* const first = x_ + begin;
    return {first, count, int(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(T))};
  }
  // Elements from … to - 1 of a vector, of which others may lie outside of the array.
  ONEFOLD_DEVICE static uint4 load_some(const T* at, int from, int to) {
    std::uint32_t words[4] = {0, 0, 0, 0};
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      if (i < from || i >= to) continue;
      const int byte = i * int(sizeof(T));
      const auto bits = bits_at(at + i);
      words[byte / 4] |= std::uint32_t(bits) << 8 * (byte % 4);
      if constexpr (sizeof(T) == 8) words[byte / 4 + 1] = std::uint32_t(bits >> 32);
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
  }
  ONEFOLD_DEVICE static std::uint32_t bytes_below(int end) {
    return end <= 0 ? 0 : end >= 4 ? 0xFFFFFFFF : (1u << 8 * end) - 1;
  }
  // The bytes from … to - 1 of a word, and others of a second one.
  ONEFOLD_DEVICE static std::uint32_t kept(std::uint32_t word, std::uint32_t pad, int from,
                                           int to) {
    const std::uint32_t mask = bytes_below(to) & ~bytes_below(from);
    return (word & mask) | (pad & ~mask);
  }

  const many_arguments& a_;
  const T *x_, *end_;
};

/// Short rows: this lane's vector of `loads` pieces. piece i of a step is i * (32 / group) + lane /
/// group. The lanes of a group then share the answers among them.
template <class Terms>
class short_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;

  ONEFOLD_DEVICE short_rows(const rows_arguments& a, std::int64_t* words)
      : a_(a), reader_(a.of), words_(words) {}

  ONEFOLD_HOST_DEVICE static constexpr unsigned step_rows(unsigned group) {
    return warp_lanes / group * loads;
  }

  ONEFOLD_DEVICE void take(std::int64_t first) const {
    sum sums[loads];
    if (a_.aligned)
      add_aligned(first, sums);
    else
      add_any(first, sums);
    share(first, sums);
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

  // Rows of whole vectors at multiples of 16 bytes.
  ONEFOLD_DEVICE void add_aligned(std::int64_t first, sum (&sums)[loads]) const {
    const places at = places_of(first);
    const T* const x = static_cast<const T*>(a_.of.x) + (at.begin + at.in_row);
    uint4 v[loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) {
      v[i] = reader_.nothing();
      if (at.row + i * at.rows_apart < a_.of.answers() && at.in_row < a_.of.n)
        v[i] = load_vector(x + i * at.step);
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) Terms::add_vector(sums[i], v[i]);
  }
  ONEFOLD_DEVICE void add_any(std::int64_t first, sum (&sums)[loads]) const {
    const places at = places_of(first);
    row_piece<T> rows[loads];
    uint4 v[loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) {
      const bool exists = at.row + i * at.rows_apart < a_.of.answers();
      rows[i] = reader_.row(at.begin + i * at.step, exists);
      v[i] = reader_.load(rows[i], at.in_row - rows[i].before);
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i)
      Terms::add_vector(sums[i],
                        reader_.without_neighbours(v[i], rows[i], at.in_row - rows[i].before));
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
  ONEFOLD_DEVICE void share(std::int64_t first, sum (&sums)[loads]) const {
    const unsigned group = a_.group, lane = lane_index(), groups = warp_lanes / group;
    unsigned row = 0;
    if (group >= 2) halve<2>(sums, 1), row = (lane & 1) * 2;
    if (group >= 4) halve<1>(sums, 2), row += lane >> 1 & 1;
    write(first + std::int64_t(row) * groups + lane / group, groups, sums);
  }

  // Answers of every rows_apart-th row. Those to be summed again come last: no sum is alive then.
  ONEFOLD_DEVICE void write(std::int64_t row, std::int64_t rows_apart,
                            const sum (&sums)[loads]) const {
    const unsigned mine = loads / a_.group;
    unsigned undecided = 0;
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < loads; ++i) {
      const std::int64_t k = row + i * rows_apart;
      if (i < mine && k < a_.of.answers() && !write_answer(sums[i], a_.of.form, a_.of.out, k))
        undecided |= 1u << i;
    }
    if constexpr (Terms::digits > 0) {
      if (!any_lane(undecided != 0)) return;
      ONEFOLD_ROLLED
      for (unsigned i = 0; i < loads; ++i)
        redo_answers<Terms>(a_.of, (undecided >> i & 1) != 0, row + i * rows_apart, words_);
    }
  }

  const rows_arguments& a_;
  row_reader<Terms> reader_;
  std::int64_t* words_;
};

/// Long rows, or parts of them.
template <class Terms>
class long_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;

  ONEFOLD_DEVICE long_rows(const rows_arguments& a, std::int64_t* words)
      : a_(a), reader_(a.of), words_(words) {}

  ONEFOLD_DEVICE void take(std::int64_t first) const {
    const unsigned group = a_.group, lane = lane_index();
    const std::int64_t q = first + lane / group;
    sum total = sum_of(reader_.piece(q));
    ONEFOLD_ROLLED
    for (unsigned mask = 1; mask < group; mask *= 2) total.join(sum_across(total, int(mask)));
    const std::int64_t pieces = a_.of.answers() * a_.of.parts;
    const bool writes = lane % group == 0 && q < pieces;
    if (a_.of.parts == 1) return write_answers<Terms>(a_.of, total, writes ? q : -1, words_);
    if (!writes) return;
    const std::int64_t row = q / a_.of.parts, part = q - row * a_.of.parts;
    write_sum(total, a_.of.partials + (part * a_.of.answers() + row), pieces);
  }

 private:
  ONEFOLD_DEVICE sum sum_of(const row_piece<T>& row) const {
    constexpr int items = vector_items<T>;
    const int apart = int(a_.group) * items;
    sum sums[loads];
    ONEFOLD_ROLLED
    for (int first = int(lane_index() % a_.group) * items - row.before; first < row.count;
         first += loads * apart) {
      uint4 v[loads];
      if (first >= 0 && first + (loads - 1) * apart + items <= row.count) {
        ONEFOLD_UNROLL
        for (int i = 0; i < loads; ++i) v[i] = load_vector(row.first + first + i * apart);
      } else {
        load_edge(row, first, v);
      }
      ONEFOLD_UNROLL
      for (int i = 0; i < loads; ++i) Terms::add_vector(sums[i], v[i]);
    }
    sums[0].join(sums[1]);
    sums[2].join(sums[3]);
    sums[0].join(sums[2]);
    return sums[0];
  }
  ONEFOLD_DEVICE void load_edge(const row_piece<T>& row, int first, uint4 (&v)[loads]) const {
    const int apart = int(a_.group) * vector_items<T>;
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) v[i] = reader_.load(row, first + i * apart);
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) v[i] = reader_.without_neighbours(v[i], row, first + i * apart);
  }

  const rows_arguments& a_;
  row_reader<Terms> reader_;
  std::int64_t* words_;
};

/// Blocks of a multiprocessor: 64 registers, of pairs 80.
template <class Terms>
inline constexpr int row_blocks = Terms::sum::parts < 3 ? 4 : 3;

/// Shape:  x[outer][n], inner == 1, aligned to its elements, parts below 2^30 elements; out[outer];
///         one part unless n is long; any grid, blocks of up to rows_threads, a multiple of 32;
///         dynamic shared memory for Terms::digits words of 64 bits a warp.
/// Error:  none: answers are rounded once.
/// Order:  none: the same bits in every run, grid and group.
template <class Terms>
__global__ void __launch_bounds__(rows_threads, row_blocks<Terms>) many_rows(rows_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  std::int64_t* const words = shared + warp * Terms::digits;
  const std::int64_t step =
      a.is_short ? short_rows<Terms>::step_rows(a.group) : std::int64_t(warp_lanes / a.group);
  const std::int64_t stride = step * warps * gridDim.x, end = a.of.answers() * a.of.parts;
  ONEFOLD_ROLLED
  for (std::int64_t first = step * (std::int64_t(blockIdx.x) * warps + warp); first < end;
       first += stride)
    if (a.is_short)
      short_rows<Terms>(a, words).take(first);
    else
      long_rows<Terms>(a, words).take(first);
}

/// Lanes of an answer in many_parts, a power of two: each reads eight parts or more, of which
/// neighbouring lanes read neighbouring answers.
ONEFOLD_HOST_DEVICE constexpr unsigned lanes_of_parts(std::int64_t parts) {
  unsigned lanes = 1;
  while (lanes < warp_lanes && std::int64_t(lanes) * 16 <= parts) lanes *= 2;
  return lanes;
}

/// The sum of parts begin, begin + step, …, eight loads of each word on their way.
template <class Sum>
ONEFOLD_DEVICE Sum sum_of_parts(const many_arguments& a, std::int64_t k, std::int64_t begin,
                                std::int64_t step) {
  constexpr int loads = 8;
  const std::int64_t answers = a.answers(), apart = answers * a.parts;
  Sum sum;
  ONEFOLD_ROLLED
  for (std::int64_t part = begin; part < a.parts; part += loads * step) {
    Sum parts[loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i)
      if (part + i * step < a.parts)
        parts[i] = read_sum<Sum>(a.partials + (part + i * step) * answers + k, apart);
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) sum.join(parts[i]);
  }
  return sum;
}

/// Shape:  partials of x[outer][n][inner]; any grid, a block a multiple of 32, its lanes shared by
///         lanes_of_parts; shared memory as of many_rows.
/// Error:  none: answers are rounded once.
/// Order:  lanes take every lanes_of_parts-th part and meet as a tree.
template <class Terms>
__global__ void __launch_bounds__(rows_threads) many_parts(many_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  std::int64_t* const words = shared + threadIdx.x / warp_lanes * Terms::digits;
  using sum = typename Terms::sum;
  const unsigned lanes = lanes_of_parts(a.parts), in_warp = warp_lanes / lanes;
  const unsigned mine = lane_index() % in_warp, place = lane_index() / in_warp;
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  const std::int64_t answers = a.answers();
  const std::int64_t stride = std::int64_t(gridDim.x) * warps * in_warp;
  ONEFOLD_ROLLED
  for (std::int64_t first = (std::int64_t(blockIdx.x) * warps + warp) * in_warp; first < answers;
       first += stride) {
    const std::int64_t k = first + mine;
    sum total;
    if (k < answers) total = sum_of_parts<sum>(a, k, place, lanes);
    ONEFOLD_ROLLED
    for (unsigned mask = in_warp; mask < warp_lanes; mask *= 2)
      total.join(sum_across(total, int(mask)));
    write_answers<Terms>(a, total, k < answers && place == 0 ? k : -1, words);
  }
}

}  // namespace onefold::cuda
