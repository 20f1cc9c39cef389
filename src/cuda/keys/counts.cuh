// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of equal neighbours among keys, counted. The keys are read once, for a bit where each run
// begins. Of blocks with few runs the keys of those are kept: to fetch them again would be to read
// as much as 64 bytes each.

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
  const int up_to = upto_lane(mine);
  if (lane_index() == warp_lanes - 1) sums[warp] = up_to;
  __syncthreads();
  block_share made = {up_to - mine, 0};
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
    count_runs(key_list of, std::int64_t* words, std::uint32_t* bits) {
  [[maybe_unused]] __shared__ std::uint16_t places[kept_keys];
  using word = unsigned long long;
  const std::int64_t block = blockIdx.x, first = block * block_keys - keys_past(of);
  auto* const groups = reinterpret_cast<word*>(words) + gridDim.x;
  auto* const total = groups + (gridDim.x + group_blocks - 1) / group_blocks;
  if (is_known_to_fall(total + 1)) return;
  bool falls = false;
  std::uint32_t mine = 0;
  with_raw(of.kind.bytes, [&]<class Raw>(Raw) { mine = heads_of<Raw>(of, first, falls); });
  bits[block * key_threads + threadIdx.x] = mine;
  if (any_lane(falls) && lane_index() == 0) atomicOr(total + 1, word(1));
  const block_share share = share_in_block(__popc(mine));
  if (threadIdx.x == 0) {
    words[block] = share.all;
    atomicAdd(groups + block / group_blocks, word(share.all));
    atomicAdd(total, word(share.all));
  }
  if (share.all > kept_keys) return;
  for_each_head(mine, [&](int bit, int k) {
    places[share.before + k] = std::uint16_t(threadIdx.x * 32 + unsigned(bit));
  });
  __syncthreads();
  with_raw(of.kind.bytes, [&]<class Raw>(Raw) {
    const Raw* const from = static_cast<const Raw*>(of.keys) + first;
    auto* const to = reinterpret_cast<Raw*>(kept_of(bits, gridDim.x)) + block * kept_keys;
    ONEFOLD_ROLLED
    for (int k = int(threadIdx.x); k < share.all; k += int(key_threads)) to[k] = from[places[k]];
  });
}

}  // namespace onefold::cuda
