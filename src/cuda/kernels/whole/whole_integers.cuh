// SPDX-License-Identifier: Apache-2.0
#pragma once
// The exact reduction of a whole array of integers in one launch.
//
// Every lane counts in 64-bit registers; at the end the counters of a warp become digits in shared
// memory, those of a block are added, and the last block carries them and writes the state.

#include "cuda/accumulators/block.cuh"
#include "cuda/accumulators/integer_terms.cuh"
#include "cuda/primitives/array_parts.cuh"
#include "cuda/primitives/grid.cuh"
#include "cuda/rounding/epilogue.cuh"
#include "onefold/detail/exact_moments.hpp"

#include <utility>

namespace onefold::cuda {

template <accumulator Accumulator, class T, second Second>
class integer_total {
 public:
  using traits = integer_terms<Accumulator, T>;

  ONEFOLD_DEVICE void take_tile(const T* x, const T* y, std::int64_t first) {
    vector_of<T> a[traits::vectors], b[traits::vectors];
    load_tile<Second>(x, y, first, a, b);
    add_tile(a, b);
  }

  template <int Vectors>
  ONEFOLD_DEVICE void add_tile(const vector_of<T> (&a)[Vectors], const vector_of<T> (&b)[Vectors]) {
    std::uint32_t bytes = 0;
    ONEFOLD_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      if constexpr (traits::bytes)
        bytes = add_words(a[v], b[v], bytes, std::make_integer_sequence<int, 4>());
      else
        add_items(a[v], b[v], std::make_integer_sequence<int, vector_items<T>>());
    }
    counts_[0] += traits::is_signed ? std::int64_t(std::int32_t(bytes)) : std::int64_t(bytes);
  }

  ONEFOLD_DEVICE void take_rest(const T* x, const T* y, const element_range& rest) {
    ONEFOLD_ROLLED
    for (std::int64_t r = lane_index(); r < rest.count; r += warp_lanes) {
      const auto a = bits_at(x + rest.at(r));
      traits::add(a, traits::pairs ? bits_at(y + rest.at(r)) : a, counts_);
    }
  }

  /// The sums of a warp in 16-bit pieces, so that none overflows 32 bits.
  template <class Digits>
  ONEFOLD_DEVICE void finish(const Digits& to) const {
    ONEFOLD_UNROLL
    for (int k = 0; k < traits::counters; ++k) {
      std::int64_t piece[4];
      ONEFOLD_UNROLL
      for (int i = 0; i < 4; ++i) {
        const auto bits = std::uint32_t(counts_[k] >> 16 * i) & 0xFFFF;
        const bool top = i == 3;
        piece[i] = std::int32_t(warp_add(top ? std::uint32_t(std::int16_t(bits)) : bits));
      }
      to.count(unsigned(k), piece[0] + piece[1] * 0x10000);
      to.count(unsigned(k) + 1, piece[2] + piece[3] * 0x10000);
    }
  }

 private:
  template <int... I>
  ONEFOLD_DEVICE static std::uint32_t add_words(const uint4& a, const uint4& b, std::uint32_t to,
                                                std::integer_sequence<int, I...>) {
    ((to = traits::add_bytes(word_of<I>(a), word_of<I>(b), to)), ...);
    return to;
  }
  template <int... I>
  ONEFOLD_DEVICE void add_items(const vector_of<T>& a, const vector_of<T>& b,
                                std::integer_sequence<int, I...>) {
    (traits::add(bits_in<T, I>(a), bits_in<T, I>(b), counts_), ...);
  }

  typename traits::counts counts_ = {};
};

/// Writes the state's words: the digits in pairs, and the count of elements. One lane. words: may
/// begin where the digits do, or before.
template <int Limbs>
ONEFOLD_DEVICE void write_integer_words(const std::int64_t* digits, std::int64_t n,
                                        std::int64_t* words) {
  std::int64_t carry = 0;
  ONEFOLD_UNROLL
  for (int i = 0; i < Limbs; i += 2) {
    const std::int64_t low = digits[i] + carry, high = digits[i + 1] + (low >> 32);
    words[i / 2] = std::int64_t(std::uint64_t(high) << 32 | (std::uint64_t(low) & 0xFFFFFFFF));
    carry = high >> 32;
  }
  words[Limbs / 2] = n;
}

/// How a loop over tiles finds its end: by a count, which takes fewer registers, so that with 32 of
/// them the loads of a tile stay together; or by the last tile, where two aligned arrays need their
/// registers for pointers.
enum class tile_loop { counts, compares };

/// take(first element) for each tile of this warp of the grid: one of its own, and every so many-th
/// after it. Returns whether the elements outside of tiles are this warp's too: the next in turn.
template <tile_loop Loop, class Parts, class Take>
ONEFOLD_DEVICE bool take_tiles_of_warp(const Parts& whole, const Take& take) {
  const unsigned warps = blockDim.x / warp_lanes;
  const std::int64_t stride = std::int64_t(gridDim.x) * warps;
  std::int64_t tile = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes;
  if constexpr (Loop == tile_loop::compares) {
    ONEFOLD_ROLLED
    for (; tile < whole.tiles; tile += stride) take(whole.first_of(tile));
    return tile == whole.tiles;
  }
  // Arrays that are read in one turn need no division.
  const std::int64_t turns =
      whole.tiles < 2 * stride ? whole.tiles >= stride : whole.tiles / stride;
  const std::int64_t over = whole.tiles - turns * stride;
  const bool has_rest = tile == over;
  std::int64_t at = whole.first_of(tile);
  // 2^32 tiles of 1 KiB are more than a device has memory for.
  ONEFOLD_ROLLED
  for (auto left = unsigned(turns + (tile < over)); left > 0; --left) {
    take(at);
    at += stride * Parts::tile_items;
  }
  return has_rest;
}

/// Blocks of 256 that a multiprocessor works on at a time. The finish, which runs once, would take
/// registers from the loops of all blocks: where these need no more than 32, it spills instead.
inline constexpr unsigned integer_threads = 256;
template <accumulator Accumulator, class T, second Second>
inline constexpr unsigned integer_blocks =
    integer_terms<Accumulator, T>::has_products &&
            (sizeof(T) == 8 || (std::is_same_v<T, std::uint16_t> && Second == second::apart))
        ? 4
        : 8;

/// Shape:  x[n], and for products y[n], n >= 0, aligned to T; words[state words] or null;
///         workspace zero before and after, null of one block; block a multiple of 32, at most
///         integer_threads, any grid; dynamic shared memory for
///         whole_shared_words<limbs, state>(block) words of 64 bits.
/// Error:  none: the words are those of the state of these elements; answers as on the host.
/// Order:  none: integers, the same words in every run, grid and block.
template <accumulator Accumulator, class T, second Second>
__global__ void __launch_bounds__(integer_threads, (integer_blocks<Accumulator, T, Second>))
    exact_integers(const T* x, const T* y, std::int64_t capacity,
                   grid_workspace<integer_terms<Accumulator, T>::words>* workspace,
                   std::int64_t* words, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  using traits = integer_terms<Accumulator, T>;
  const std::int64_t n = counted_items(capacity, list);
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes;
  const array_parts<traits, T> whole(x, n);

  integer_total<Accumulator, T, Second> total;
  constexpr auto loop = Second == second::aligned ? tile_loop::compares : tile_loop::counts;
  const bool has_rest =
      take_tiles_of_warp<loop>(whole, [&](std::int64_t first) { total.take_tile(x, y, first); });
  if (has_rest) total.take_rest(x, y, whole.rest);
  const warp_digits<traits::limbs, traits::words> digits(shared + warp * traits::words);
  digits.clear();
  total.finish(digits);

  std::int64_t* const totals = fold_warps<traits::limbs, traits::words>(shared);
  if (!fold_blocks(totals, workspace)) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  write_integer_words<traits::limbs>(totals, n, totals);
  copy_words<traits::limbs / 2 + 1>(totals, words, 1);
  if (list.size > 0) finish_sums<traits::words, typename traits::state>(totals, list, shared);
}

/// What an integer adds to the sums of elements and of their squares.
template <class T>
struct integer_moment_terms {
  using sum = integer_terms<accumulator::total, T>;
  using squares = integer_terms<accumulator::squares, T>;
  using state = detail::moments<std::int64_t>;
  static constexpr bool pairs = false;
  static constexpr int vectors = 4, items = vectors * vector_items<T>;
  static constexpr int words = sum::words + squares::words;
};

/// Shape:  as exact_integers, of one array.
/// Error:  none: the words are those of the state of moments of these elements.
/// Order:  none: integers, the same words in every run, grid and block.
template <class T>
__global__ void __launch_bounds__(integer_threads, sizeof(T) <= 2 ? 8 : 4)
    exact_integer_moments(const T* x, std::int64_t capacity,
                          grid_workspace<integer_moment_terms<T>::words>* workspace,
                          std::int64_t* words, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  using traits = integer_moment_terms<T>;
  const std::int64_t n = counted_items(capacity, list);
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  const array_parts<traits, T> whole(x, n);
  const std::int64_t stride = std::int64_t(gridDim.x) * warps;
  const std::int64_t first = std::int64_t(blockIdx.x) * warps + warp;

  integer_total<accumulator::total, T, second::none> sum;
  integer_total<accumulator::squares, T, second::none> squares;
  ONEFOLD_ROLLED
  for (std::int64_t tile = first; tile < whole.tiles; tile += stride) {
    vector_of<T> a[traits::vectors], unused[traits::vectors];
    load_tile<second::none>(x, x, whole.first_of(tile), a, unused);
    sum.add_tile(a, a), squares.add_tile(a, a);
  }
  if (whole.tiles % stride == first) {
    sum.take_rest(x, x, whole.rest), squares.take_rest(x, x, whole.rest);
  }
  std::int64_t* const own = shared + warp * traits::words;
  const warp_digits<traits::sum::limbs, traits::sum::words> sum_digits(own);
  const warp_digits<traits::squares::limbs, traits::squares::words> square_digits(
      own + traits::sum::words);
  sum_digits.clear(), square_digits.clear();
  sum.finish(sum_digits), squares.finish(square_digits);

  std::int64_t* const totals = fold_moment_warps<traits>(shared);
  if (!fold_blocks(totals, workspace)) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  constexpr int sum_words = traits::sum::limbs / 2 + 1;
  write_integer_words<traits::sum::limbs>(totals, n, totals);
  write_integer_words<traits::squares::limbs>(totals + traits::sum::words, n, totals + sum_words);
  copy_words<sum_words + traits::squares::limbs / 2 + 1>(totals, words, 1);
  if (list.size > 0) finish_sums<traits::words, typename traits::state>(totals, list, shared);
}

}  // namespace onefold::cuda
