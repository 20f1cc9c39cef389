// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of equal neighbours among keys. They are counted: keys are read once, for a bit where each
// run begins; of blocks with few runs the keys of those are kept, as to fetch them again would be
// to read as much as 64 bytes each. When their number is known, they are written: the bits are
// turned into places.

#include "cuda/kernels/keys/heads.cuh"

namespace onefold::cuda {

inline constexpr unsigned key_threads = block_keys / 32;

/// The sum over the lanes up to this one.
ONEFOLD_DEVICE int upto_lane(int count) {
  ONEFOLD_UNROLL
  for (unsigned apart = 1; apart < warp_lanes; apart *= 2) {
    const int below = __shfl_up_sync(whole_warp, count, apart);
    if (lane_index() >= apart) count += below;
  }
  return count;
}

/// How many of the block's come before this thread's, and how many there are.
struct block_share {
  int before, all;
};
ONEFOLD_DEVICE block_share share_in_block(int count) {
  constexpr unsigned warps = key_threads / warp_lanes;
  __shared__ int sums[warps];
  const unsigned warp = threadIdx.x / warp_lanes;
  const int up_to = upto_lane(count);
  if (lane_index() == warp_lanes - 1) sums[warp] = up_to;
  __syncthreads();
  block_share made = {up_to - count, 0};
  ONEFOLD_UNROLL
  for (unsigned w = 0; w < warps; ++w) made.before += w < warp ? sums[w] : 0, made.all += sums[w];
  return made;
}

/// The bits of 32 keys a thread, of those of a block.
template <class Raw>
ONEFOLD_DEVICE std::uint32_t heads_of(const key_list& list, std::int64_t block_first, bool& falls) {
  const typed_keys<Raw> keys(list);
  const std::int64_t own = block_first + threadIdx.x * 32, tile = own - lane_index() * 32;
  const bool inside = tile >= 1 && tile + tile_keys <= list.n;
  return inside ? keys.warp_heads(tile, falls) : keys.heads_at(own, falls);
}
/// Calls each(bit, its number among the set ones).
template <class Each>
ONEFOLD_DEVICE void for_each_head(std::uint32_t bits, const Each& each) {
  ONEFOLD_ROLLED
  for (int k = 0; bits != 0; ++k, bits &= bits - 1) each(__ffs(int(bits)) - 1, k);
}

/// Where the keys of runs are kept, after the bits.
template <class Bits>
ONEFOLD_DEVICE Bits* kept_of(Bits* bits, std::int64_t blocks) {
  return bits + blocks * (block_keys / 32);
}

/// Whether a block found keys that fall: the others have nothing more to count.
ONEFOLD_DEVICE bool is_known_to_fall(unsigned long long* falls) {
  __shared__ bool known;
  if (threadIdx.x == 0) known = atomicOr(falls, 0ull) != 0;
  __syncthreads();
  return known;
}

/// Shape:  n >= 1 keys; block of key_threads, a block for each block_keys; words[key_words], zero.
/// Error:  none: words[block] is the number of runs that begin in it, unless keys fall.
/// Order:  none.
static __global__ void __launch_bounds__(key_threads, 4)
    count_runs(key_list keys, std::int64_t* words, std::uint32_t* bits) {
  [[maybe_unused]] __shared__ std::uint16_t places[kept_keys];
  using word = unsigned long long;
  const std::int64_t block = blockIdx.x, first = block * block_keys - misaligned_keys(keys);
  auto* const groups = reinterpret_cast<word*>(words) + gridDim.x;
  auto* const total = groups + (gridDim.x + group_blocks - 1) / group_blocks;
  if (is_known_to_fall(total + 1)) return;
  bool falls = false;
  std::uint32_t heads = 0;
  with_raw(keys.kind.bytes, [&]<class Raw>(Raw) { heads = heads_of<Raw>(keys, first, falls); });
  bits[block * key_threads + threadIdx.x] = heads;
  if (any_lane(falls) && lane_index() == 0) atomicOr(total + 1, word(1));
  const block_share share = share_in_block(__popc(heads));
  if (threadIdx.x == 0) {
    words[block] = share.all;
    atomicAdd(groups + block / group_blocks, word(share.all));
    atomicAdd(total, word(share.all));
  }
  if (share.all > kept_keys) return;
  for_each_head(heads, [&](int bit, int k) {
    places[share.before + k] = std::uint16_t(threadIdx.x * 32 + unsigned(bit));
  });
  __syncthreads();
  with_raw(keys.kind.bytes, [&]<class Raw>(Raw) {
    const Raw* const from = static_cast<const Raw*>(keys.keys) + first;
    auto* const to = reinterpret_cast<Raw*>(kept_of(bits, gridDim.x)) + block * kept_keys;
    ONEFOLD_ROLLED
    for (int k = int(threadIdx.x); k < share.all; k += int(key_threads)) to[k] = from[places[k]];
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
  std::int64_t sum = place < first ? words[place] : 0;
  const std::int64_t beside = lane < warp && first + lane < blocks ? words[first + lane] : 0;
  ONEFOLD_ROLLED
  for (std::int64_t g = threadIdx.x; g < group; g += key_threads) sum += words[blocks + g];
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  sum = warp_sum(beside);
  for (const std::int64_t each : sums) sum += each;
  return sum;
}

/// Runs of a count block, some at a time, in shared memory of their warp.
class run_places {
 public:
  static constexpr int capacity = int(kept_keys);
  static_assert(capacity >= tile_keys, "any tile fits");

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
    const int count = __popc(bits), up_to = upto_lane(count), before = size_ + up_to - count;
    for_each_head(bits, [&](int bit, int k) {
      places_[before + k] = std::uint16_t(tile * tile_keys + int(lane_index()) * 32 + bit);
    });
    size_ += __shfl_sync(whole_warp, up_to, int(warp_lanes) - 1);
  }

 private:
  std::uint16_t* places_;
  int size_ = 0;
};

template <class Raw>
struct run_outputs {
  std::int64_t* offsets;
  Raw* keys;
  std::int64_t first;  ///< of the block's keys
};

/// Where runs begin, and their keys: the k-th is kept as from[k], or is from[its place]. Some are
/// on their way at once.
template <class Raw>
ONEFOLD_DEVICE void write_some(const run_places& places, const run_outputs<Raw>& to,
                               const Raw* from, bool kept, bool bool_bytes) {
  constexpr int ahead = 4, lanes = int(warp_lanes);
  ONEFOLD_ROLLED
  for (int k = int(lane_index()); k < places.size(); k += ahead * lanes) {
    Raw keys[ahead];
    ONEFOLD_UNROLL
    for (int i = 0; i < ahead; ++i)
      if (const int own = k + i * lanes; own < places.size())
        keys[i] = from[kept ? own : places[own]];
    ONEFOLD_UNROLL
    for (int i = 0; i < ahead; ++i)
      if (const int own = k + i * lanes; own < places.size())
        to.offsets[own] = to.first + places[own],
        to.keys[own] = bool_bytes ? keys[i] != 0 : keys[i];
  }
}

/// Shape:  as count_runs; words and bits as it leaves them, `blocks` of its blocks; a warp for each
///         of those; offsets of one more than there are runs.
/// Error:  none: offsets[k] is the first place of run k, keys[k] its key.
/// Order:  none.
static __global__ void __launch_bounds__(key_threads)
    write_runs(key_list list, std::int64_t blocks, const std::int64_t* words,
               const std::uint32_t* bits, std::int64_t* offsets, void* keys) {
  __shared__ std::uint16_t shared[written_blocks][run_places::capacity];
  constexpr int tiles = int(block_keys / tile_keys);
  const int warp = int(threadIdx.x / warp_lanes), lane = int(lane_index());
  const std::int64_t block = std::int64_t(blockIdx.x) * written_blocks + warp;
  const std::uint32_t* const own = bits + block * (block_keys / 32) + lane;
  std::uint32_t heads[tiles];
  ONEFOLD_UNROLL
  for (int tile = 0; tile < tiles; ++tile)
    heads[tile] = block < blocks ? own[tile * int(warp_lanes)] : 0;
  const std::int64_t runs = block < blocks ? words[block] : 0;
  std::int64_t before = runs_before(words, blocks);
  if (block >= blocks) return;
  const std::int64_t first = block * block_keys - misaligned_keys(list);
  run_places places(shared[warp]);
  const auto write = [&](const void* from, std::int64_t begin, bool kept) {
    __syncwarp();
    with_raw(list.kind.bytes, [&]<class Raw>(Raw) {
      write_some(places,
                 run_outputs<Raw>{offsets + before, static_cast<Raw*>(keys) + before, first},
                 static_cast<const Raw*>(from) + begin, kept, list.kind.type == dtype::boolean);
    });
  };
  if (runs <= kept_keys) {
    ONEFOLD_UNROLL
    for (int tile = 0; tile < tiles; ++tile) places.add(heads[tile], tile);
    write(kept_of(bits, blocks), block * kept_keys, true);
  } else {
    ONEFOLD_ROLLED
    for (int tile = 0; tile < tiles; ++tile) {
      places.add(own[tile * int(warp_lanes)], tile);
      write(list.keys, first, false);
      before += places.size();
      places.clear();
    }
  }
  const std::int64_t groups = (blocks + group_blocks - 1) / group_blocks;
  if (block == 0 && lane == 0) offsets[words[blocks + groups]] = list.n;
}

}  // namespace onefold::cuda
