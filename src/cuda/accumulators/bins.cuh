// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exact sums of elements whose exponents lie anywhere: every lane sorts its terms by exponent.
//
// A term is k * 2^(lsb + p) with an integer k, 0 <= p. Bin i of a lane is a 64-bit integer that
// counts 2^(lsb + 32 i), in shared memory; a term changes bin p / 32, and where k is wide the next
// one. That is a load, an addition and a store a bin, whatever the data: no reduction over the
// warp, and no atomics. Lanes that share a column of bins take turns.
//
// Theorem (no bin overflows). With s = p mod 32 and k 2^s = high 2^32 + low, 0 <= low < 2^32, a
// wide term adds low to one bin and high to the next; |k| < 2^53 makes |high| <= 2^52, so 2^10
// additions stay below 2^62 + 2^42 < 2^63. A narrow one, |k| < 2^24, adds k 2^s, |k 2^s| < 2^55:
// 2^7 additions stay below 2^62. After so many the bins go to the digits of the warp.

#include "cuda/accumulators/terms.cuh"
#include "cuda/primitives/array_parts.cuh"
#include "cuda/primitives/tile_ways.cuh"

namespace onefold::cuda {

/// The layout of the bins of an accumulator and type. A block has 16 warps and uses at most 48 KiB
/// of shared memory, which needs no opt-in: columns are as many as fit there with the digits.
template <accumulator Accumulator, class T>
struct bin_layout {
  using traits = terms<Accumulator, T>;
  static constexpr int factors = has_products<Accumulator> ? 2 : 1;
  static constexpr int significand_bits = factors * traits::format::precision;
  /// Products of f64 have 106 bits; one window holds every f16.
  static constexpr bool exists = significand_bits <= 53 && !traits::shape.fixed;
  static constexpr bool narrow = significand_bits <= 24;
  static constexpr int largest_shift = factors * (traits::format::max_field - 2);
  static constexpr int bins = exists ? largest_shift / 32 + (narrow ? 1 : 2) : 0;
  static constexpr int columns = bins > 32 ? 4 : bins > 8 ? 16 : 32;
  static constexpr int turns = int(warp_lanes) / columns;
  static constexpr int words = bins * columns;  ///< of 64 bits, a warp
  /// Tiles between two visits to the digits.
  static constexpr int most_tiles = (narrow ? 1 << 7 : 1 << 10) / (turns * traits::items);
  static_assert(!exists || (most_tiles >= 1 && bins < traits::limbs));
};

/// The bins of a warp.
template <accumulator Accumulator, class T>
class lane_bins {
 public:
  using layout = bin_layout<Accumulator, T>;
  using traits = terms<Accumulator, T>;
  using bits = typename traits::bits;
  using digits = warp_digits<traits::limbs, traits::words>;

  ONEFOLD_DEVICE explicit lane_bins(std::int64_t* words)
      : words_(words), lane_(lane_index()), column_(words + lane_ % layout::columns),
        turn_(int(lane_) / layout::columns) {
    clear();
  }

  /// Adds the term of an element or pair; one that is not finite is counted.
  ONEFOLD_DEVICE void add(bits a, bits b) {
    std::int64_t k = 0;
    int shift = 0;
    if (traits::is_finite(a) && traits::is_finite(b))
      k = term(a, b, shift);
    else
      count_special(a, b);
    add_term(k, shift);
  }

  /// Adds what the bins hold to the digits of the warp, and clears them. A digit changes by less
  /// than 2^38.
  ONEFOLD_DEVICE void flush(const digits& to) {
    __syncwarp();
    for (int bin = int(lane_); bin < layout::bins; bin += int(warp_lanes)) {
      std::int64_t low = 0, high = 0;
      ONEFOLD_ROLLED
      for (int i = 0; i < layout::columns; ++i) {
        // Each lane begins in another column: neighbours lie in other banks.
        const std::int64_t word =
            words_[bin * layout::columns + (i + int(lane_)) % layout::columns];
        low += word & 0xFFFFFFFF, high += word >> 32;
      }
      to.words()[bin] += low;
      words_[bin * layout::columns] = high;
    }
    __syncwarp();
    for (int limb = int(lane_); limb <= layout::bins; limb += int(warp_lanes))
      if (limb > 0) to.words()[limb] += words_[(limb - 1) * layout::columns];
    to.count(traits::limbs + 1, warp_add(nans_));
    to.count(traits::limbs + 2, warp_add(infinities_ & 0xFFFF));
    to.count(traits::limbs + 3, warp_add(infinities_ >> 16));
    if (has_products<Accumulator>) to.count(traits::limbs + 5, warp_add(invalid_));
    nans_ = infinities_ = invalid_ = 0;
    __syncwarp();
    clear();
  }

 private:
  ONEFOLD_DEVICE void clear() const {
    for (int i = int(lane_); i < layout::words; i += int(warp_lanes)) words_[i] = 0;
    __syncwarp();
  }

  // The significand of a finite term, and its shift.
  ONEFOLD_DEVICE static std::int64_t term(bits a, bits b, int& shift) {
    std::int64_t k = detail::significand<T>(a);
    shift = detail::unit_shift<T>(a);
    if constexpr (has_products<Accumulator>) {
      k *= detail::significand<T>(b);
      shift += detail::unit_shift<T>(b);
    }
    return is_minus(a, b) ? -k : k;
  }

  ONEFOLD_DEVICE static bool is_minus(bits a, bits b) {
    if (has_products<Accumulator>) a = bits(a ^ b);
    return Accumulator != accumulator::magnitudes && (a & traits::format::sign_bit) != 0;
  }

  ONEFOLD_DEVICE void add_term(std::int64_t k, int shift) const {
    std::int64_t* const bin = column_ + (shift >> 5) * layout::columns;
    const int bit = shift & 31;
    ONEFOLD_UNROLL
    for (int turn = 0; turn < layout::turns; ++turn) {
      if (turn == turn_) change(bin, k, bit);
      if (layout::turns > 1) __syncwarp();
    }
  }
  ONEFOLD_DEVICE static void change(std::int64_t* bin, std::int64_t k, int bit) {
    if constexpr (layout::narrow) {
      *bin += std::int64_t(std::uint64_t(k) << bit);
    } else {
      std::int64_t* const next = bin + layout::columns;
      const std::int64_t low = *bin, high = *next;
      *bin = low + std::int64_t(std::uint32_t(std::uint64_t(k) << bit));
      *next = high + (k >> (32 - bit));
    }
  }

  ONEFOLD_DEVICE void count_special(bits a, bits b) {
    const bool nan = detail::is_nan<T>(a) || detail::is_nan<T>(b);
    const bool zero = has_products<Accumulator> && (traits::is_zero(a) || traits::is_zero(b));
    nans_ += nan, invalid_ += !nan && zero;
    if (!nan && !zero) infinities_ += is_minus(a, b) ? 1u << 16 : 1u;
  }

  std::int64_t* words_;
  unsigned lane_;
  std::int64_t* column_;
  int turn_;
  std::uint32_t nans_ = 0, invalid_ = 0, infinities_ = 0;
};

/// Adds the tiles that begin at `first`, first + step, … below `end` to the digits in `words`, and
/// returns the tile after them. `bins`: bin_layout::words words of this warp.
template <accumulator Accumulator, class T, second Second>
ONEFOLD_COLD std::int64_t add_by_bins(const T* x, const T* y, std::int64_t* words,
                                      std::int64_t* bins, std::int64_t first, std::int64_t end,
                                      std::int64_t step) {
  using traits = terms<Accumulator, T>;
  struct tile {
    vector_of<T> x[traits::shape.vectors], y[traits::shape.vectors];
  };
  const typename lane_bins<Accumulator, T>::digits to(words);
  lane_bins<Accumulator, T> lane_sums(bins);
  const auto load = [&](std::int64_t at, tile& next) {
    load_tile<Second>(x, y, at, next.x, next.y);
  };
  const auto add = [&](std::int64_t, const tile& now) {
    ONEFOLD_UNROLL
    for (int v = 0; v < traits::shape.vectors; ++v)
      for_each_item<T>(now.x[v], now.y[v], [&](auto a, auto b) { lane_sums.add(a, b); });
    return true;
  };
  while (first < end) {
    const std::int64_t stop = min(end, first + bin_layout<Accumulator, T>::most_tiles * step);
    if constexpr (traits::shape.floats)
      first = take_one_by_one<tile>(first, stop, step, load, add);
    else
      first = take_turns<tile>(first, stop, step, load, add);
    lane_sums.flush(to);
  }
  return first;
}

}  // namespace onefold::cuda
