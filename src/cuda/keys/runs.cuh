// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of equal neighbours among keys. The keys are read once, for a bit where each run begins;
// when the number of runs is known, the bits are turned into places. Of blocks with few runs the
// keys of those are kept meanwhile: to fetch them again would be to read as much as 64 bytes each.

#include "cuda/keys/heads.cuh"

namespace onefold::cuda {

inline constexpr unsigned key_threads = block_keys / 32;

/// The sum over the lanes up to this one.
ONEFOLD_DEVICE int upto_lane(int mine) {
  ONEFOLD_UNROLL
  for (unsigned apart = 1; apart < warp_lanes; apart *= 2) {
    const int below = __shfl_up_sync(whole_warp, mine, apart);
    if (lane_index() >= apart) mine += below;
  }
  return mine;
}

/// How many of the block's come before this thread's, and how many there are.
struct block_share {
  int before, all;
};
ONEFOLD_DEVICE block_share share_in_block(int mine) {
  constexpr unsigned warps = key_threads / warp_lanes;
  __shared__ int sums[warps];
  const unsigned warp = threadIdx.x / warp_lanes;
  const int upto = upto_lane(mine);
  if (lane_index() == warp_lanes - 1) sums[warp] = upto;
  __syncthreads();
  block_share made = {upto - mine, 0};
  ONEFOLD_UNROLL
  for (unsigned w = 0; w < warps; ++w) made.before += w < warp ? sums[w] : 0, made.all += sums[w];
  return made;
}

/// The bits of 32 keys a thread, of those of a block.
template <class Raw>
ONEFOLD_DEVICE std::uint32_t heads_of(const key_list& of, std::int64_t block_first, bool& falls) {
  const typed_keys<Raw> keys(of);
  const std::int64_t own = block_first + threadIdx.x * 32, tile = own - lane_index() * 32;
  const bool inside = tile >= 1 && tile + tile_keys <= of.n;
  return inside ? keys.words_at(tile, falls) : keys.word_at(own, falls);
}
ONEFOLD_DEVICE std::uint32_t any_heads_of(const key_list& of, std::int64_t block_first,
                                          bool& falls) {
  switch (of.kind.bytes) {
  case 1:
    return heads_of<std::uint8_t>(of, block_first, falls);
  case 2:
    return heads_of<std::uint16_t>(of, block_first, falls);
  case 4:
    return heads_of<std::uint32_t>(of, block_first, falls);
  default:
    return heads_of<std::uint64_t>(of, block_first, falls);
  }
}

ONEFOLD_DEVICE void copy_key(const void* from, std::int64_t i, void* to, std::int64_t k,
                             const element_kind& kind) {
  switch (kind.bytes) {
  case 1: {
    const std::uint8_t key = static_cast<const std::uint8_t*>(from)[i];
    static_cast<std::uint8_t*>(to)[k] = kind.type == dtype::boolean ? key != 0 : key;
    break;
  }
  case 2:
    static_cast<std::uint16_t*>(to)[k] = static_cast<const std::uint16_t*>(from)[i];
    break;
  case 4:
    static_cast<std::uint32_t*>(to)[k] = static_cast<const std::uint32_t*>(from)[i];
    break;
  default:
    static_cast<std::uint64_t*>(to)[k] = static_cast<const std::uint64_t*>(from)[i];
  }
}

/// Calls each(bit, its number among the set ones).
template <class Each>
ONEFOLD_DEVICE void for_each_head(std::uint32_t bits, const Each& each) {
  ONEFOLD_ROLLED
  for (int k = 0; bits != 0; ++k, bits &= bits - 1) each(__ffs(int(bits)) - 1, k);
}

/// Where the keys of runs are kept, behind the bits.
template <class Bits>
ONEFOLD_DEVICE Bits* kept_of(Bits* bits, std::int64_t blocks) {
  return bits + blocks * (block_keys / 32);
}

/// Shape:  n >= 1 keys; block of key_threads, a block for each block_keys; words[key_words], zero.
/// Error:  none: words[block] is the number of runs that begin in it.
/// Order:  none.
static __global__ void __launch_bounds__(key_threads, 4)
    count_runs(key_list of, std::int64_t* words, std::uint32_t* bits) {
  using word = unsigned long long;
  const std::int64_t block = blockIdx.x, first = block * block_keys - keys_past(of);
  bool falls = false;
  const std::uint32_t mine = any_heads_of(of, first, falls);
  bits[block * key_threads + threadIdx.x] = mine;
  auto* const groups = reinterpret_cast<word*>(words) + gridDim.x;
  auto* const total = groups + (gridDim.x + group_blocks - 1) / group_blocks;
  if (any_lane(falls) && lane_index() == 0) atomicOr(total + 1, word(1));
  const block_share share = share_in_block(__popc(mine));
  if (threadIdx.x == 0) {
    words[block] = share.all;
    atomicAdd(groups + block / group_blocks, word(share.all));
    atomicAdd(total, word(share.all));
  }
  if (share.all > kept_keys) return;
  for_each_head(mine, [&](int bit, int k) {
    copy_key(of.keys, first + threadIdx.x * 32 + bit, kept_of(bits, gridDim.x),
             block * kept_keys + share.before + k, of.kind);
  });
}

/// Count blocks of a block that writes, a warp each.
inline constexpr int written_blocks = int(key_threads / warp_lanes);

/// The runs before those of this warp's count block. Every thread calls it.
ONEFOLD_DEVICE std::int64_t runs_before(const std::int64_t* words, std::int64_t blocks) {
  static_assert(group_blocks == key_threads, "a thread for each count block of a group");
  __shared__ std::int64_t sums[written_blocks];
  const std::int64_t first = std::int64_t(blockIdx.x) * written_blocks;
  const std::int64_t group = first / group_blocks, place = group * group_blocks + threadIdx.x;
  const unsigned lane = lane_index(), warp = threadIdx.x / warp_lanes;
  std::int64_t mine = place < first ? words[place] : 0;
  const std::int64_t beside = lane < warp && first + lane < blocks ? words[first + lane] : 0;
  ONEFOLD_ROLLED
  for (std::int64_t g = threadIdx.x; g < group; g += key_threads) mine += words[blocks + g];
  mine = warp_sum(mine);
  if (lane == 0) sums[warp] = mine;
  __syncthreads();
  mine = warp_sum(beside);
  for (const std::int64_t each : sums) mine += each;
  return mine;
}

/// Runs of a count block, some at a time, in shared memory of their warp.
class run_places {
 public:
  static constexpr int room = int(kept_keys);
  static_assert(room >= tile_keys, "any tile fits");

  ONEFOLD_DEVICE explicit run_places(std::uint16_t* places) : places_(places) {}

  ONEFOLD_DEVICE int size() const { return size_; }
  ONEFOLD_DEVICE int operator[](int k) const { return places_[k]; }
  ONEFOLD_DEVICE void clear() {
    __syncwarp();
    size_ = 0;
  }
  /// Those of a tile, a word a lane.
  ONEFOLD_DEVICE void add(std::uint32_t bits, int tile) {
    if (!any_lane(bits != 0)) return;
    const int count = __popc(bits), upto = upto_lane(count), before = size_ + upto - count;
    for_each_head(bits, [&](int bit, int k) {
      places_[before + k] = std::uint16_t(tile * tile_keys + int(lane_index()) * 32 + bit);
    });
    size_ += __shfl_sync(whole_warp, upto, int(warp_lanes) - 1);
  }

 private:
  std::uint16_t* places_;
  int size_ = 0;
};

/// Shape:  as count_runs; words and bits as it leaves them, `blocks` of its blocks; a warp for each
///         of those; offsets of one more than there are runs.
/// Error:  none: offsets[k] is the first place of run k, keys[k] its key.
/// Order:  none.
static __global__ void __launch_bounds__(key_threads)
    write_runs(key_list of, std::int64_t blocks, const std::int64_t* words,
               const std::uint32_t* bits, std::int64_t* offsets, void* keys) {
  __shared__ std::uint16_t shared[written_blocks][run_places::room];
  constexpr int tiles = int(block_keys / tile_keys);
  const int warp = int(threadIdx.x / warp_lanes), lane = int(lane_index());
  const std::int64_t block = std::int64_t(blockIdx.x) * written_blocks + warp;
  std::int64_t before = runs_before(words, blocks);
  if (block >= blocks) return;
  const std::int64_t first = block * block_keys - keys_past(of);
  const std::uint32_t* const own = bits + block * (block_keys / 32) + lane;
  run_places places(shared[warp]);
  const auto write = [&](const void* from, std::int64_t begin, bool kept) {
    __syncwarp();
    ONEFOLD_ROLLED
    for (int k = lane; k < places.size(); k += int(warp_lanes)) {
      const std::int64_t i = begin + places[k];
      offsets[before + k] = first + places[k];
      copy_key(from, kept ? begin + k : i, keys, before + k, of.kind);
    }
  };
  if (words[block] <= kept_keys) {
    std::uint32_t heads[tiles];
    ONEFOLD_UNROLL
    for (int tile = 0; tile < tiles; ++tile) heads[tile] = own[tile * int(warp_lanes)];
    ONEFOLD_UNROLL
    for (int tile = 0; tile < tiles; ++tile) places.add(heads[tile], tile);
    write(kept_of(bits, blocks), block * kept_keys, true);
  } else {
    ONEFOLD_ROLLED
    for (int tile = 0; tile < tiles; ++tile) {
      places.add(own[tile * int(warp_lanes)], tile);
      write(of.keys, first, false);
      before += places.size();
      places.clear();
    }
  }
  const std::int64_t groups = (blocks + group_blocks - 1) / group_blocks;
  if (block == 0 && lane == 0) offsets[words[blocks + groups]] = of.n;
}

}  // namespace onefold::cuda
