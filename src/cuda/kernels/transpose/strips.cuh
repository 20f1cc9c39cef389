// SPDX-License-Identifier: Apache-2.0
#pragma once
// Short rows that are contiguous: one range of memory, a slab, which is copied by vectors; and 16
// bytes of each of a few long rows, with the range of a slab that has the same elements.
//
// Shared memory holds the range as it is, but the words of each 128 bytes permuted by an exclusive
// or with the number of these: elements that are a power of two of words apart are then in
// different banks.

#include "cuda/kernels/transpose/tiles.cuh"

namespace onefold::cuda {

template <unsigned Bytes>
using bits_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// The range in shared memory, as far from a multiple of 16 bytes as it is in global memory.
class slab {
 public:
  ONEFOLD_DEVICE explicit slab(std::uint32_t* words) : words_(words) {}

  ONEFOLD_DEVICE std::uint32_t& word(unsigned at) const { return words_[at ^ at / 32 % 32]; }

  /// The bits of what is at a multiple of its size, or of 4 bytes.
  template <unsigned Bytes>
  ONEFOLD_DEVICE bits_of<Bytes> get(unsigned byte) const {
    if constexpr (Bytes == 8)
      return std::uint64_t(word(byte / 4 + 1)) << 32 | word(byte / 4);
    else
      return reinterpret_cast<const bits_of<Bytes>*>(&word(byte / 4))[byte % 4 / Bytes];
  }
  template <unsigned Bytes>
  ONEFOLD_DEVICE void put(unsigned byte, bits_of<Bytes> bits) const {
    if constexpr (Bytes == 8)
      word(byte / 4) = std::uint32_t(bits), word(byte / 4 + 1) = std::uint32_t(bits >> 32);
    else
      reinterpret_cast<bits_of<Bytes>*>(&word(byte / 4))[byte % 4 / Bytes] = bits;
  }
  /// 4 bytes at any place.
  ONEFOLD_DEVICE std::uint32_t get_across(unsigned byte) const {
    return __byte_perm(word(byte / 4), word(byte / 4 + 1), 0x3210 + 0x1111 * (byte % 4));
  }

 private:
  std::uint32_t* words_;
};

/// A slab's range of global memory, from the multiple of 16 bytes before it.
struct slab_range {
  std::byte* base;
  unsigned begin, end;  ///< bytes from the base

  ONEFOLD_DEVICE slab_range(std::byte* first, unsigned size)
      : base(first - reinterpret_cast<std::uintptr_t>(first) % 16), begin(unsigned(first - base)),
        end(begin + size) {}
  ONEFOLD_DEVICE unsigned vectors() const { return (end + 15) / 16; }
  ONEFOLD_DEVICE bool whole(unsigned v) const { return 16 * v >= begin && 16 * v + 16 <= end; }
};

ONEFOLD_DEVICE uint4 load_part(const slab_range& from, unsigned v) {
  std::uint32_t words[4] = {0, 0, 0, 0};
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < 16; ++i)
    if (16 * v + i >= from.begin && 16 * v + i < from.end)
      words[i / 4] |= std::uint32_t(from.base[16 * v + i]) << 8 * (i % 4);
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// And zeros after it: words that begin in the range are read.
ONEFOLD_DEVICE void load_slab(const slab_range& from, const slab& to) {
  constexpr unsigned batch = 4;
  const unsigned vectors = from.vectors() + 1;
  for (unsigned first = threadIdx.x; first < vectors; first += batch * narrow_threads) {
    uint4 loaded[batch];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const unsigned v = first + i * narrow_threads;
      if (from.whole(v))
        loaded[i] = load_vector(from.base + 16 * v);
      else
        loaded[i] = load_part(from, v);
    }
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const unsigned v = first + i * narrow_threads;
      if (v >= vectors) continue;
      to.word(4 * v) = loaded[i].x, to.word(4 * v + 1) = loaded[i].y;
      to.word(4 * v + 2) = loaded[i].z, to.word(4 * v + 3) = loaded[i].w;
    }
  }
}

ONEFOLD_DEVICE void store_slab(const slab& from, const slab_range& to) {
  for (unsigned v = threadIdx.x; v < to.vectors(); v += narrow_threads) {
    if (to.whole(v)) {
      *reinterpret_cast<uint4*>(to.base + 16 * v) = make_uint4(
          from.word(4 * v), from.word(4 * v + 1), from.word(4 * v + 2), from.word(4 * v + 3));
      continue;
    }
    for (unsigned at = max(16 * v, to.begin); at < min(16 * v + 16, to.end); ++at)
      to.base[at] = std::byte(from.get<1>(at));
  }
}

/// Where the elements of a block's share are.
struct narrow_share {
  std::byte* rows;  ///< of the long rows
  std::int64_t stride;
  unsigned lines, count, begin;  ///< begin: of the range, in the slab

  /// Rows that begin as far from a multiple of 16 bytes as each other.
  ONEFOLD_DEVICE bool alike() const { return stride % 16 == 0 || lines == 1; }
};

/// A vector of each of Lines long rows, one below the other, all alike.
template <int Item, unsigned Lines>
struct strip {
  const narrow_share& share;
  unsigned line;
  std::byte* row;  ///< the block's share of the first one
  int begin, end;  ///< in bytes of the share

  ONEFOLD_DEVICE strip(const narrow_share& whole, unsigned task, unsigned vectors)
      : share(whole), line(task / vectors * Lines), row(whole.rows + line * whole.stride),
        begin(int(task % vectors * 16) - int(reinterpret_cast<std::uintptr_t>(row) % 16)),
        end(begin + 16) {}
  /// Of a row, with one that a row has more if it does not begin at a multiple of 16 bytes.
  ONEFOLD_DEVICE static unsigned vectors(const narrow_share& whole) {
    const bool aligned = (reinterpret_cast<std::uintptr_t>(whole.rows) | whole.stride) % 16 == 0;
    return (whole.count * Item + 15) / 16 + (aligned ? 0 : 1);
  }
  ONEFOLD_DEVICE static unsigned tasks(const narrow_share& whole) {
    return (whole.lines + Lines - 1) / Lines * vectors(whole);
  }

  ONEFOLD_DEVICE bool has(unsigned j) const { return line + j < share.lines; }
  ONEFOLD_DEVICE bool whole() const {
    return begin >= 0 && end <= int(share.count * Item) && line < share.lines;
  }
  ONEFOLD_DEVICE std::byte* at(unsigned j) const { return row + j * share.stride + begin; }
  /// Where the slab holds an element of the first row.
  ONEFOLD_DEVICE unsigned place(unsigned index) const {
    return share.begin + (index * share.lines + line) * Item;
  }

  /// Calls with each element of a strip that is not whole: its place in memory and in the slab.
  template <class Take>
  ONEFOLD_DEVICE void each_item(Take take) const {
    ONEFOLD_ROLLED
    for (unsigned j = 0; j < Lines && has(j); ++j) {
      ONEFOLD_ROLLED
      for (int b = max(begin, 0); b < min(end, int(share.count * Item)); b += Item)
        take(row + j * share.stride + b, place(unsigned(b / Item)) + j * Item);
    }
  }
};

/// Elements of Lines rows, one below the other, are a unit, of at most a word. lines: 4 words of
/// each row. place, step: of the first unit in the slab, and from unit to unit.
template <int Item, unsigned Lines>
struct units {
  static constexpr unsigned rows = Lines;
  using unit = bits_of<Item * Lines>;

  /// Whether all units begin at multiples of their size.
  ONEFOLD_DEVICE static bool aligned(const narrow_share& share) {
    return Lines == 1 || (share.begin | share.lines * Item) % (Item * Lines) == 0;
  }

  ONEFOLD_DEVICE static void get(const slab& from, unsigned place, unsigned step, bool aligned,
                                 std::uint32_t (&lines)[4 * Lines]) {
    unit found[16 / Item];
    if (Lines == 1 || aligned) {
      ONEFOLD_UNROLL
      for (auto& one : found) one = from.get<Item * Lines>(place), place += step;
    } else {
      ONEFOLD_UNROLL
      for (auto& one : found) one = unit(from.get_across(place)), place += step;
    }
    ONEFOLD_UNROLL
    for (unsigned q = 0; q < 4; ++q) to_lines(found, q, lines);
  }

  /// Precondition: aligned.
  ONEFOLD_DEVICE static void put(const std::uint32_t (&lines)[4 * Lines], unsigned place,
                                 unsigned step, bool, const slab& to) {
    unit made[16 / Item];
    ONEFOLD_UNROLL
    for (unsigned q = 0; q < 4; ++q) of_lines(lines, q, made);
    ONEFOLD_UNROLL
    for (const auto one : made) to.put<Item * Lines>(place, one), place += step;
  }

 private:
  /// Word q of each row, from the units that have its elements; and back.
  ONEFOLD_DEVICE static void to_lines(const unit (&found)[16 / Item], unsigned q,
                                      std::uint32_t (&lines)[4 * Lines]) {
    if constexpr (Item >= 4) {
      lines[q] = std::uint32_t(found[q * 4 / Item] >> q * 32 % (8 * Item));
    } else if constexpr (Lines == 1) {
      lines[q] = 0;
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4 / Item; ++j)
        lines[q] |= std::uint32_t(found[4 / Item * q + j]) << 8 * Item * j;
    } else if constexpr (Item == 2) {
      lines[q] = __byte_perm(found[2 * q], found[2 * q + 1], 0x5410);
      lines[4 + q] = __byte_perm(found[2 * q], found[2 * q + 1], 0x7632);
    } else {
      std::uint32_t square[4] = {found[4 * q], found[4 * q + 1], found[4 * q + 2],
                                 found[4 * q + 3]};
      turn_square(square);
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4; ++j) lines[4 * j + q] = square[j];
    }
  }
  ONEFOLD_DEVICE static void of_lines(const std::uint32_t (&lines)[4 * Lines], unsigned q,
                                      unit (&made)[16 / Item]) {
    if constexpr (Item == 8) {
      if (q < 2) made[q] = std::uint64_t(lines[2 * q + 1]) << 32 | lines[2 * q];
    } else if constexpr (Lines == 1) {
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4 / Item; ++j)
        made[4 / Item * q + j] = unit(lines[q] >> 8 * Item * j);
    } else if constexpr (Item == 2) {
      made[2 * q] = __byte_perm(lines[q], lines[4 + q], 0x5410);
      made[2 * q + 1] = __byte_perm(lines[q], lines[4 + q], 0x7632);
    } else {
      std::uint32_t square[4] = {lines[q], lines[4 + q], lines[8 + q], lines[12 + q]};
      turn_square(square);
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4; ++j) made[4 * q + j] = square[j];
    }
  }
};

/// All rows, of which there are Lines: the slab has their elements in one range.
template <int Item, unsigned Lines>
struct weave {
  static constexpr unsigned rows = Lines;

  /// Whether the ranges begin at multiples of a word.
  ONEFOLD_DEVICE static bool aligned(const narrow_share& share) {
    return (share.begin | reinterpret_cast<std::uintptr_t>(share.rows)) % 4 == 0;
  }

  ONEFOLD_DEVICE static void get(const slab& from, unsigned place, unsigned, bool aligned,
                                 std::uint32_t (&lines)[4 * Lines]) {
    std::uint32_t found[4 * Lines];
    ONEFOLD_UNROLL
    for (unsigned w = 0; w < 4 * Lines; ++w)
      found[w] = aligned ? from.get<4>(place + 4 * w) : from.get_across(place + 4 * w);
    ONEFOLD_UNROLL
    for (unsigned w = 0; w < 4 * Lines; ++w) lines[w] = pick(found, w, place_in_range);
  }

  ONEFOLD_DEVICE static void put(const std::uint32_t (&lines)[4 * Lines], unsigned place, unsigned,
                                 bool aligned, const slab& to) {
    ONEFOLD_UNROLL
    for (unsigned w = 0; w < 4 * Lines; ++w) {
      const std::uint32_t word = pick(lines, w, place_in_lines);
      if (aligned) {
        to.put<4>(place + 4 * w, word);
        continue;
      }
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 4; i += Item)
        to.put<Item>(place + 4 * w + i, bits_of<Item>(word >> 8 * i));
    }
  }

 private:
  /// Where a byte of the rows is in the range, and the other way round.
  static constexpr ONEFOLD_DEVICE unsigned place_in_range(unsigned byte) {
    return (byte % 16 / Item * Lines + byte / 16) * Item + byte % Item;
  }
  static constexpr ONEFOLD_DEVICE unsigned place_in_lines(unsigned byte) {
    return byte / Item % Lines * 16 + byte / Item / Lines * Item + byte % Item;
  }

  /// Word w of what has byte b where `words` have byte place(b).
  ONEFOLD_DEVICE static std::uint32_t pick(const std::uint32_t (&words)[4 * Lines], unsigned w,
                                           unsigned (*place)(unsigned)) {
    const unsigned a = place(4 * w), b = place(4 * w + 1), c = place(4 * w + 2),
                   d = place(4 * w + 3);
    const std::uint32_t low = __byte_perm(words[a / 4], words[b / 4], a % 4 | (4 + b % 4) << 4);
    const std::uint32_t high = __byte_perm(words[c / 4], words[d / 4], c % 4 | (4 + d % 4) << 4);
    return __byte_perm(low, high, 0x5410);
  }
};

}  // namespace onefold::cuda
