// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of equal neighbours among keys: counted block by block, the counts summed up, the runs
// written. The keys are read twice, which costs less than a place for every key would.

#include "cuda/keys/keys.hpp"
#include "cuda/parts/element.cuh"
#include "cuda/parts/warp.cuh"

namespace onefold::cuda {

inline constexpr unsigned key_threads = 256;
inline constexpr int key_rounds = int(block_keys / key_threads);

ONEFOLD_DEVICE std::int64_t key_place(const key_list& of, std::int64_t i) {
  std::uint64_t raw = 0;
  switch (of.kind.bytes) {
  case 1:
    raw = static_cast<const std::uint8_t*>(of.keys)[i];
    break;
  case 2:
    raw = static_cast<const std::uint16_t*>(of.keys)[i];
    break;
  case 4:
    raw = static_cast<const std::uint32_t*>(of.keys)[i];
    break;
  default:
    raw = static_cast<const std::uint64_t*>(of.keys)[i];
  }
  return any_place(raw, of.kind);
}

/// A bit for each of this lane's keys that begins a run; sets `falls` where one is below the one
/// before it. Key r of a lane is r * key_threads + threadIdx.x of the block's.
ONEFOLD_DEVICE unsigned run_heads(const key_list& of, bool& falls) {
  const std::int64_t first = std::int64_t(blockIdx.x) * block_keys + threadIdx.x;
  std::int64_t own[key_rounds], before[key_rounds];
  ONEFOLD_UNROLL
  for (int r = 0; r < key_rounds; ++r) {
    const std::int64_t i = first + r * std::int64_t(key_threads);
    own[r] = i < of.n ? key_place(of, i) : 0;
    before[r] = i < of.n && i > 0 ? key_place(of, i - 1) : own[r];
  }
  unsigned heads = 0;
  ONEFOLD_UNROLL
  for (int r = 0; r < key_rounds; ++r) {
    const std::int64_t i = first + r * std::int64_t(key_threads);
    falls |= own[r] < before[r];
    heads |= unsigned(i == 0 || own[r] != before[r]) << r;
  }
  return heads;
}

/// Shape:  n >= 1 keys; block of key_threads, a block for each block_keys.
/// Error:  none: counts[block] is the number of runs that begin in it.
/// Order:  none.
static __global__ void __launch_bounds__(key_threads) count_runs(key_list of, std::int64_t* words) {
  __shared__ int counts[key_threads / warp_lanes];
  bool falls = false;
  const unsigned heads = run_heads(of, falls);
  const std::uint32_t mine = warp_add(std::uint32_t(__popc(heads)));
  if (lane_index() == 0) counts[threadIdx.x / warp_lanes] = int(mine);
  if (any_lane(falls) && lane_index() == 0)
    atomicOr(reinterpret_cast<unsigned long long*>(words + gridDim.x + 1), 1ull);
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::int64_t sum = 0;
  for (const int each : counts) sum += each;
  words[blockIdx.x] = sum;
}

/// Shape:  words[blocks + 1]; one block of key_threads. Every count becomes the sum of those before
///         it, the word behind them the sum of all.
/// Error:  none. Order: none.
static __global__ void __launch_bounds__(key_threads)
    sum_counts(std::int64_t* words, std::int64_t blocks) {
  __shared__ std::int64_t sums[key_threads];
  const std::int64_t share = (blocks + key_threads - 1) / key_threads;
  const std::int64_t first = min(share * threadIdx.x, blocks), last = min(first + share, blocks);
  std::int64_t sum = 0;
  for (std::int64_t b = first; b < last; ++b) sum += words[b];
  sums[threadIdx.x] = sum;
  __syncthreads();
  ONEFOLD_ROLLED
  for (unsigned step = 1; step < key_threads; step *= 2) {
    const std::int64_t below = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += below;
    __syncthreads();
  }
  sum = threadIdx.x > 0 ? sums[threadIdx.x - 1] : 0;
  for (std::int64_t b = first; b < last; ++b) {
    const std::int64_t count = words[b];
    words[b] = sum;
    sum += count;
  }
  if (threadIdx.x == key_threads - 1) words[blocks] = sums[threadIdx.x];
}

ONEFOLD_DEVICE void put_key(const key_list& of, std::int64_t i, void* to, std::int64_t k) {
  switch (of.kind.bytes) {
  case 1: {
    const std::uint8_t key = static_cast<const std::uint8_t*>(of.keys)[i];
    static_cast<std::uint8_t*>(to)[k] = of.kind.type == dtype::boolean ? key != 0 : key;
    break;
  }
  case 2:
    static_cast<std::uint16_t*>(to)[k] = static_cast<const std::uint16_t*>(of.keys)[i];
    break;
  case 4:
    static_cast<std::uint32_t*>(to)[k] = static_cast<const std::uint32_t*>(of.keys)[i];
    break;
  default:
    static_cast<std::uint64_t*>(to)[k] = static_cast<const std::uint64_t*>(of.keys)[i];
  }
}

/// Shape:  as count_runs; words as sum_counts leaves them; offsets of one more than there are runs.
/// Error:  none: offsets[k] is the first place of run k, keys[k] its key.
/// Order:  none.
static __global__ void __launch_bounds__(key_threads)
    write_runs(key_list of, const std::int64_t* words, std::int64_t* offsets, void* keys) {
  constexpr unsigned warps = key_threads / warp_lanes;
  __shared__ int counts[key_rounds * warps];
  const unsigned warp = threadIdx.x / warp_lanes;
  bool falls = false;
  const unsigned heads = run_heads(of, falls);
  unsigned masks[key_rounds];
  ONEFOLD_UNROLL
  for (int r = 0; r < key_rounds; ++r) {
    masks[r] = __ballot_sync(whole_warp, (heads >> r & 1) != 0);
    if (lane_index() == 0) counts[unsigned(r) * warps + warp] = __popc(masks[r]);
  }
  __syncthreads();
  std::int64_t before = words[blockIdx.x];
  unsigned place = 0;
  ONEFOLD_UNROLL
  for (int r = 0; r < key_rounds; ++r) {
    for (; place < unsigned(r) * warps + warp; ++place) before += counts[place];
    if ((heads >> r & 1) == 0) continue;
    const std::int64_t k = before + __popc(masks[r] & ((1u << lane_index()) - 1));
    const std::int64_t i =
        std::int64_t(blockIdx.x) * block_keys + r * std::int64_t(key_threads) + threadIdx.x;
    offsets[k] = i;
    put_key(of, i, keys, k);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) offsets[words[gridDim.x]] = of.n;
}

}  // namespace onefold::cuda
