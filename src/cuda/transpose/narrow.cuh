// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrices of a few bytes' width whose rows lie one behind the other, to as many long rows, and
// back: pixels to planes, planes to pixels.
//
// A block takes a slab of short rows, which is one stretch of memory: it goes by vectors. Between
// the slab and the long rows, shared memory holds the stretch as it is, but the words of each 128
// bytes permuted by an exclusive or with the number of these: elements that lie a power of two of
// words apart are then in different banks.

#include "cuda/transpose/tiles.cuh"

namespace onefold::cuda {

inline constexpr unsigned slab_words = (narrow_slab_bytes + 16 + 127) / 128 * 32;

/// The stretch in shared memory, as far from a multiple of 16 bytes as it is in global memory.
class slab {
 public:
  ONEFOLD_DEVICE explicit slab(std::uint32_t* words) : words_(words) {}

  ONEFOLD_DEVICE std::uint32_t& word(unsigned at) const { return words_[at ^ at / 32 % 32]; }

  /// The element of Item bytes at a multiple of Item.
  template <int Item>
  ONEFOLD_DEVICE std::uint64_t get(unsigned byte) const {
    if constexpr (Item == 8)
      return std::uint64_t(word(byte / 4 + 1)) << 32 | word(byte / 4);
    else if constexpr (Item == 4)
      return word(byte / 4);
    else
      return reinterpret_cast<const part<Item>*>(&word(byte / 4))[byte % 4 / Item];
  }
  template <int Item>
  ONEFOLD_DEVICE void put(unsigned byte, std::uint64_t item) const {
    if constexpr (Item == 8)
      word(byte / 4) = std::uint32_t(item), word(byte / 4 + 1) = std::uint32_t(item >> 32);
    else if constexpr (Item == 4)
      word(byte / 4) = std::uint32_t(item);
    else
      reinterpret_cast<part<Item>*>(&word(byte / 4))[byte % 4 / Item] = part<Item>(item);
  }

 private:
  template <int Item>
  using part = std::conditional_t<Item == 1, std::uint8_t, std::uint16_t>;

  std::uint32_t* words_;
};

/// A slab's stretch of global memory, from the multiple of 16 bytes before it.
struct stretch_of_slab {
  std::byte* base;
  unsigned begin, end;  ///< bytes behind the base

  ONEFOLD_DEVICE stretch_of_slab(std::byte* first, unsigned size)
      : base(first - reinterpret_cast<std::uintptr_t>(first) % 16), begin(unsigned(first - base)),
        end(begin + size) {}
  ONEFOLD_DEVICE unsigned vectors() const { return (end + 15) / 16; }
  ONEFOLD_DEVICE bool whole(unsigned v) const { return 16 * v >= begin && 16 * v + 16 <= end; }
};

ONEFOLD_DEVICE uint4 load_part(const stretch_of_slab& from, unsigned v) {
  std::uint32_t words[4] = {0, 0, 0, 0};
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < 16; ++i)
    if (16 * v + i >= from.begin && 16 * v + i < from.end)
      words[i / 4] |= std::uint32_t(from.base[16 * v + i]) << 8 * (i % 4);
  return make_uint4(words[0], words[1], words[2], words[3]);
}

ONEFOLD_DEVICE void load_slab(const stretch_of_slab& from, const slab& to) {
  constexpr unsigned batch = 4;
  for (unsigned first = threadIdx.x; first < from.vectors(); first += batch * turn_threads) {
    uint4 loaded[batch];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const unsigned v = first + i * turn_threads;
      if (from.whole(v))
        loaded[i] = load_vector(from.base + 16 * v);
      else
        loaded[i] = load_part(from, v);
    }
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const unsigned v = first + i * turn_threads;
      if (v >= from.vectors()) continue;
      to.word(4 * v) = loaded[i].x, to.word(4 * v + 1) = loaded[i].y;
      to.word(4 * v + 2) = loaded[i].z, to.word(4 * v + 3) = loaded[i].w;
    }
  }
}

ONEFOLD_DEVICE void store_slab(const slab& from, const stretch_of_slab& to) {
  for (unsigned v = threadIdx.x; v < to.vectors(); v += turn_threads) {
    if (to.whole(v)) {
      *reinterpret_cast<uint4*>(to.base + 16 * v) = make_uint4(
          from.word(4 * v), from.word(4 * v + 1), from.word(4 * v + 2), from.word(4 * v + 3));
      continue;
    }
    for (unsigned at = max(16 * v, to.begin); at < min(16 * v + 16, to.end); ++at)
      to.base[at] = std::byte(from.get<1>(at));
  }
}

/// One lane's word or element of a long row.
template <int Item>
struct line_part {
  static constexpr int width = Item < 4 ? 4 : Item;
  std::byte* row;  ///< the block's share of it
  int begin;       ///< of the part, in bytes of the share
  unsigned line;

  /// Precondition: elements are aligned.
  ONEFOLD_DEVICE line_part(std::byte* rows, std::int64_t stride, unsigned task, unsigned tasks)
      : line(task / tasks) {
    row = rows + line * stride;
    const int past = Item < 4 ? int(reinterpret_cast<std::uintptr_t>(row) % 4) : 0;
    begin = int(task % tasks * 32 + threadIdx.x % 32) * width - past;
  }
  /// Tasks of a warp in a row of `size` bytes: parts of all lanes.
  ONEFOLD_DEVICE static unsigned tasks(unsigned size) { return (size + 3) / (32 * width) + 1; }

  ONEFOLD_DEVICE bool whole(int size) const { return begin >= 0 && begin + width <= size; }

  /// Calls with the place of each element in the part and its index in the share.
  template <class Take>
  ONEFOLD_DEVICE void each_item(int count, Take take) const {
    ONEFOLD_UNROLL
    for (int j = 0; j < width / Item; ++j) {
      const int index = begin / Item + j;
      if (index >= 0 && index < count) take(j, unsigned(index));
    }
  }

  ONEFOLD_DEVICE std::uint64_t load(int size) const {
    if (whole(size)) {
      if constexpr (Item == 8) return *reinterpret_cast<const std::uint64_t*>(row + begin);
      return *reinterpret_cast<const std::uint32_t*>(row + begin);
    }
    std::uint32_t word = 0;
    ONEFOLD_UNROLL
    for (int i = 0; Item < 4 && i < 4; ++i)
      if (begin + i >= 0 && begin + i < size) word |= std::uint32_t(row[begin + i]) << 8 * i;
    return word;
  }
  ONEFOLD_DEVICE void store(int size, std::uint64_t part) const {
    if constexpr (Item < 4)
      store_within(row, begin, size, std::uint32_t(part));
    else if (whole(size) && Item == 4)
      *reinterpret_cast<std::uint32_t*>(row + begin) = std::uint32_t(part);
    else if (whole(size))
      *reinterpret_cast<std::uint64_t*>(row + begin) = part;
  }
};

/// Where the elements of a block's share are.
struct narrow_share {
  std::byte* rows;  ///< of the long rows
  std::int64_t stride;
  unsigned lines, count, begin;  ///< begin: of the stretch, in the slab
};

template <int Item>
ONEFOLD_DEVICE void slab_to_rows(const slab& from, const narrow_share& of) {
  using part = line_part<Item>;
  const unsigned size = of.count * Item, tasks = part::tasks(size);
  for (unsigned task = threadIdx.x / 32; task < of.lines * tasks; task += turn_threads / 32) {
    const part at(of.rows, of.stride, task, tasks);
    std::uint64_t made = 0;
    at.each_item(int(of.count), [&](int j, unsigned index) {
      made |= from.get<Item>(of.begin + (index * of.lines + at.line) * Item) << 8 * Item * j % 64;
    });
    at.store(int(size), made);
  }
}

template <int Item>
ONEFOLD_DEVICE void rows_to_slab(const narrow_share& of, const slab& to) {
  using part = line_part<Item>;
  constexpr unsigned batch = 4, warps = turn_threads / 32;
  const unsigned size = of.count * Item, tasks = part::tasks(size), all = of.lines * tasks;
  for (unsigned first = threadIdx.x / 32; first < all; first += batch * warps) {
    std::uint64_t loaded[batch];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i)
      if (first + i * warps < all)
        loaded[i] = part(of.rows, of.stride, first + i * warps, tasks).load(int(size));
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      if (first + i * warps >= all) continue;
      const part at(of.rows, of.stride, first + i * warps, tasks);
      at.each_item(int(of.count), [&](int j, unsigned index) {
        to.put<Item>(of.begin + (index * of.lines + at.line) * Item,
                     loaded[i] >> 8 * Item * j % 64);
      });
    }
  }
}

/// Shape:  elements of Item bytes, aligned. Gather: rows of the input lie one behind the other,
///         copy.from_row == copy.columns * Item, and become columns, copy.to_row == Item; else the
///         other way round, copy.to_column == copy.rows * Item and copy.from_column == Item. A
///         block of turn_threads lanes for each `share` of the long axis; a share's stretch has at
///         most narrow_slab_bytes.
/// Error:  none: elements keep their bits; nothing else is written, and nothing else read.
/// Order:  none.
template <int Item, bool Gather>
__global__ void __launch_bounds__(turn_threads)
    copy_narrow(const matrix_copy copy, const unsigned share) {
  __shared__ std::uint32_t words[slab_words];
  const slab between(words);
  const std::int64_t first = std::int64_t(blockIdx.x) * share;
  const auto lines = unsigned(Gather ? copy.columns : copy.rows);
  const auto count =
      unsigned(min(std::int64_t(share), (Gather ? copy.rows : copy.columns) - first));
  auto* const from = const_cast<std::byte*>(copy.from);
  const stretch_of_slab all((Gather ? from : copy.to) + first * lines * Item, count * lines * Item);
  const narrow_share of = {(Gather ? copy.to : from) + first * Item,
                           Gather ? copy.to_column : copy.from_row, lines, count, all.begin};
  if constexpr (Gather) {
    load_slab(all, between);
    __syncthreads();
    slab_to_rows<Item>(between, of);
  } else {
    rows_to_slab<Item>(of, between);
    __syncthreads();
    store_slab(between, all);
  }
}

}  // namespace onefold::cuda
