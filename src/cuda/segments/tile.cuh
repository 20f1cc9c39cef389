// SPDX-License-Identifier: Apache-2.0
#pragma once
// 2 KiB of elements, as a warp loads them and as its lanes take them: vectors that lie side by
// side, and 64 bytes in a row.

#include "cuda/parts/load.cuh"
#include "cuda/segments/cut.cuh"

namespace onefold::cuda {

inline constexpr int tile_loads = 4;
inline constexpr int tile_bytes = tile_loads * 16 * int(warp_lanes);
inline constexpr int lane_bytes = tile_bytes / int(warp_lanes);
/// Words of 32 bits between two lanes' elements in shared memory: one more than they have, so that
/// lanes that read their i-th words read from different banks.
inline constexpr int lane_words = lane_bytes / 4 + 1;
inline constexpr int stage_words = lane_words * int(warp_lanes);

template <class Fold>
class segment_tile {
 public:
  ONEFOLD_DEVICE segment_tile(const segment_arguments& a, const Fold& fold, std::uint32_t* stage)
      : a_(a), fold_(fold), stage_(stage) {}

  ONEFOLD_DEVICE int items() const { return tile_bytes / int(fold_.bytes()); }
  ONEFOLD_DEVICE int lane_items() const { return lane_bytes / int(fold_.bytes()); }

  /// The element at or before `item` that lies at a multiple of 16 bytes; it may be before x[0].
  ONEFOLD_DEVICE std::int64_t base_of(std::int64_t item) const {
    const auto past = std::int64_t(reinterpret_cast<std::uintptr_t>(a_.of.x) % 16 / fold_.bytes());
    return ((item + past) & -std::int64_t(16 / fold_.bytes())) - past;
  }

  /// Loads what elements from … to - 1 of the tile at `base` need, and no others' outside of x.
  ONEFOLD_DEVICE void load(std::int64_t base, int from, int to, uint4 (&v)[tile_loads]) const {
    const int count = int(16 / fold_.bytes());
    ONEFOLD_UNROLL
    for (int i = 0; i < tile_loads; ++i) {
      const int first = (i * int(warp_lanes) + int(lane_index())) * count;
      v[i] = make_uint4(0, 0, 0, 0);
      if (first >= to || first + count <= from) continue;
      const std::int64_t item = base + first;
      if (item >= 0 && item + count <= a_.of.items)
        v[i] = load_vector(byte_of(item));
      else
        v[i] = load_some(item, count);
    }
  }

  /// Every lane's vectors, to where lanes find 64 bytes in a row.
  ONEFOLD_DEVICE void put(const uint4 (&v)[tile_loads]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < tile_loads; ++i) {
      const int vector = i * int(warp_lanes) + int(lane_index());
      std::uint32_t* const to = stage_ + (vector * 4 + vector / 4);
      to[0] = v[i].x, to[1] = v[i].y, to[2] = v[i].z, to[3] = v[i].w;
    }
  }
  /// The bits of element i of this lane's.
  ONEFOLD_DEVICE std::uint64_t element(int i) const {
    const std::uint32_t* const mine = stage_ + int(lane_index()) * lane_words;
    if (fold_.bytes() == 8) return std::uint64_t(mine[2 * i + 1]) << 32 | mine[2 * i];
    const unsigned bits = 8 * fold_.bytes(), at = unsigned(i) * bits;
    return (mine[at / 32] >> at % 32) & (0xFFFFFFFF >> (32 - bits) % 32);
  }

 private:
  ONEFOLD_DEVICE const unsigned char* byte_of(std::int64_t item) const {
    return static_cast<const unsigned char*>(a_.of.x) + item * std::int64_t(fold_.bytes());
  }
  ONEFOLD_DEVICE uint4 load_some(std::int64_t item, int count) const {
    std::uint32_t words[4] = {0, 0, 0, 0};
    ONEFOLD_UNROLL
    for (int byte = 0; byte < 16; ++byte) {
      const std::int64_t at = item + byte * count / 16;
      if (at < 0 || at >= a_.of.items) continue;
      words[byte / 4] |= std::uint32_t(byte_of(item)[byte]) << 8 * (byte % 4);
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
  }

  const segment_arguments& a_;
  const Fold& fold_;
  std::uint32_t* stage_;
};

}  // namespace onefold::cuda
