// SPDX-License-Identifier: Apache-2.0
#pragma once
// Short rows that are contiguous: one range of memory, which is copied by vectors.
//
// Shared memory holds the range as it is, but the words of each 128 bytes permuted by an exclusive
// or with the number of these: elements that are a power of two of words apart are then in
// different banks.

#include "cuda/transpose/tiles.cuh"

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

}  // namespace onefold::cuda
