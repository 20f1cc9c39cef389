// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of neighbours, up to a chunk of them, in the order of docs/numerics/fast.md: by a lane
// or by eight, from a window; by a warp, from memory.
//
// Element i goes to virtual lane i mod 64. Those without an element are -0 and add nothing, so that
// a level of the fold of which every upper half is such is left out.

#include "cuda/segments/fast/window.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

/// Of = accumulator::total, or another one, that `what` says.
template <class T, accumulator Of>
class fast_neighbours {
 public:
  using number = fast_number<T>;
  using window = fast_window<T>;
  /// Elements that a lane, and that a group of lanes, sum up at most.
  static constexpr int lane_items = 32, group_items = 512;
  static constexpr int group_lanes = 8;

  /// what: total, magnitudes, squares.
  ONEFOLD_DEVICE fast_neighbours(const segments_block& of, accumulator what)
      : x_(static_cast<const T*>(of.x)), what_(what) {}

  /// By this lane: n <= most elements from a byte on, where all lanes have the same `most`. More
  /// than Slots of them are two levels of the fold that have Slots each.
  template <int Slots>
  ONEFOLD_DEVICE number sum_of_few(const window& from, int byte, int n, int most) const {
    number sums[Slots];
    ONEFOLD_UNROLL
    for (number& sum : sums) sum = nothing();
    ONEFOLD_ROLLED
    for (int left = n; most > 0; most -= Slots, left -= Slots, byte += Slots * int(sizeof(T))) {
      add_cells<cell::items>(sums, from, byte, left);
    }
    fold(sums);
    if constexpr (cell::items == 2) sums[0] += sums[1];
    return sums[0];
  }

  /// By group_lanes neighbours, in each of them: n elements, of which no group of the warp has more
  /// than `most`. Every lane of the warp calls it.
  ONEFOLD_DEVICE number sum_of_group(const window& from, int byte, int n, int most) const {
    constexpr int all = int(virtual_lanes) / group_lanes, step = group_lanes * cell::items;
    const int own = int(lane_index()) % group_lanes * cell::items;
    number sums[all];
    ONEFOLD_UNROLL
    for (number& sum : sums) sum = nothing();
    byte += own * int(sizeof(T));
    ONEFOLD_ROLLED
    for (int left = n - own; most > 0; most -= int(virtual_lanes)) {
      add_cells<step>(sums, from, byte, left);
      left -= int(virtual_lanes), byte += int(virtual_lanes * sizeof(T));
    }
    fold(sums);
    return fold_lanes<group_lanes>(sums);
  }

  /// By the warp, in every lane: n <= chunk_items elements. Cells of two elements lie where memory
  /// has words: of a chunk that begins within one, lanes have the virtual lanes 2 l - 1 and 2 l.
  ONEFOLD_DEVICE number sum_of_chunk(std::int64_t first, int n) const {
    constexpr int batch = loads * row;
    const int own = int(lane_index()) * cell::items;
    number sums[2] = {nothing(), nothing()};
    const bool splits = cell::items == 2 && is_within_word(first);
    const T* from = x_ + first + own;
    int left = n - own;
    if (splits) {
      --from, ++left;
      add_some(sums, from, left, own == 0);
      from += batch, left -= batch;
    }
    ONEFOLD_ROLLED
    for (int whole = (left + own) / batch; whole > 0; --whole, from += batch, left -= batch)
      add_all(sums, from);
    add_some(sums, from, left, false);
    if constexpr (cell::items == 1) return fold_rows(sums);
    if (splits) {
      const number high = sums[1];
      sums[1] = of_lane(sums[0], int(lane_index() + 1) % int(warp_lanes));
      sums[0] = high;
    }
    return fold_lanes<int(warp_lanes)>(sums);
  }

 private:
  using cell = fast_cell<T>;
  using word = typename cell::word;
  static constexpr int row = int(warp_lanes) * cell::items;
  static constexpr int loads = 16;  // of a lane on their way

  ONEFOLD_DEVICE static number nothing() { return number(-0.0); }
  template <int I>
  ONEFOLD_DEVICE number term(word some) const {
    const number x = cell::template number<I>(some);
    return Of == accumulator::total ? x : term_of(what_, x, x);
  }
  // Cells Step elements apart, from a byte on, of which the first `left` elements are there; those
  // that are not are -0. Eight are loaded before one is added.
  template <int Step, int Count>
  ONEFOLD_DEVICE void add_cells(number (&sums)[Count], const window& from, int byte,
                                int left) const {
    constexpr int cells = Count / cell::items, at_once = cells < 8 ? cells : 8;
    ONEFOLD_UNROLL
    for (int first = 0; first < cells; first += at_once) {
      word some[at_once];
      ONEFOLD_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const int at = (first + i) * Step;
        some[i] = from.cell_at(at < left, byte + at * int(sizeof(T)));
      }
      ONEFOLD_UNROLL
      for (int i = 0; i < at_once; ++i) {
        number* const to = sums + (first + i) * cell::items;
        to[0] += term<0>(some[i]);
        if constexpr (cell::items == 2)
          to[1] += (first + i) * Step + 1 < left ? term<1>(some[i]) : nothing();
      }
    }
  }
  // By halves, down to the elements of one cell.
  template <int Count>
  ONEFOLD_DEVICE static void fold(number (&sums)[Count]) {
    ONEFOLD_UNROLL
    for (int half = Count / 2; half >= cell::items; half /= 2)
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  // The lanes' first cells, in each of Lanes neighbours.
  template <int Lanes, int Count>
  ONEFOLD_DEVICE static number fold_lanes(number (&sums)[Count]) {
    ONEFOLD_UNROLL
    for (int mask = Lanes / 2; mask > 0; mask /= 2)
      for (int i = 0; i < cell::items; ++i) sums[i] += __shfl_xor_sync(whole_warp, sums[i], mask);
    if constexpr (cell::items == 2) sums[0] += sums[1];
    return sums[0];
  }

  // Whether a cell of two elements begins before element `first`.
  ONEFOLD_DEVICE bool is_within_word(std::int64_t first) const {
    return reinterpret_cast<std::uintptr_t>(x_ + first) % 4 != 0;
  }
  // This lane's cells of whole rows.
  ONEFOLD_DEVICE void add_all(number (&sums)[2], const T* from) const {
    word some[loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) some[i] = *reinterpret_cast<const word*>(from + i * row);
    add_rows(sums, some);
  }
  // The same where elements from `left` on are others', and the first one too if it is `skipped`.
  ONEFOLD_DEVICE void add_some(number (&sums)[2], const T* from, int left, bool skipped) const {
    word some[loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) {
      some[i] = bits_if(i * row < left && !(skipped && i == 0), from + i * row);
      if constexpr (cell::items == 2)
        some[i] |= word(bits_if(i * row + 1 < left, from + i * row + 1)) << 16;
    }
    add_rows(sums, some);
  }
  // The bits of an element, or of -0.
  ONEFOLD_DEVICE static auto bits_if(bool there, const T* at) {
    return there ? bits_at(at) : detail::float_format<T>::sign_bit;
  }
  ONEFOLD_DEVICE void add_rows(number (&sums)[2], const word (&some)[loads]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) {
      sums[cell::items == 1 ? i % 2 : 0] += term<0>(some[i]);
      if constexpr (cell::items == 2) sums[1] += term<1>(some[i]);
    }
  }

  const T* x_;
  accumulator what_;
};

}  // namespace onefold::cuda
