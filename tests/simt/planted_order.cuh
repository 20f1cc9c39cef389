// SPDX-License-Identifier: Apache-2.0
#pragma once
// Warp operations, atomics and fences: one defect each, next to the right way to do it. The
// comments "planted: ..." are those of planted.cuh.

#include "simt/simt.hpp"

namespace onefold::simt::test {

inline constexpr unsigned all_lanes = 0xFFFFFFFF;

// Lane 0 calls with a mask of which it is no part.
__global__ inline void mask_without_itself(const int* in, std::size_t, int* out) {
  const unsigned mask = threadIdx.x % warpSize == 0 ? 0xE : all_lanes & ~1u;
  out[threadIdx.x] = __any_sync(mask, in[threadIdx.x]);  // planted: mask without itself
}

__global__ inline void mask_of_ended_lanes(const int* in, std::size_t, int* out) {
  if (threadIdx.x % warpSize >= warpSize / 2u) return;
  out[threadIdx.x] = __shfl_xor_sync(all_lanes, in[threadIdx.x], 1);  // planted: ended lanes
}

__global__ inline void source_outside_the_mask(const int* in, std::size_t, int* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = __shfl_sync(0x55555555, in[threadIdx.x], 1);  // planted: source outside
  }
}

// Both halves name the whole warp, the second less one lane: neither can ever go on.
__global__ inline void two_masks(const int* in, std::size_t, int* out) {
  const bool first = threadIdx.x % warpSize < warpSize / 2u;
  if (first) {
    out[threadIdx.x] = __all_sync(all_lanes, in[threadIdx.x]);  // planted: two masks, all
  } else {
    out[threadIdx.x] = __all_sync(all_lanes & ~1u, in[threadIdx.x]);  // planted: two masks, fewer
  }
}

// Half of each warp waits for the other, which waits for the block.
__global__ inline void warp_against_block(const int* in, std::size_t, int* out) {
  out[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % warpSize < warpSize / 2u) {
    __syncwarp();  // planted: deadlock, warp
  } else {
    __syncthreads();  // planted: deadlock, block
  }
}

__global__ inline void halves_with_their_own_masks(const int* in, std::size_t, int* out) {
  const unsigned half = warpSize / 2;
  const unsigned low = (1u << half) - 1;
  const bool first = threadIdx.x % warpSize < half;
  out[threadIdx.x] = __shfl_xor_sync(first ? low : low << half, in[threadIdx.x], 1);
}

// Every lane hands its item to its neighbour through memory.
template <bool Synchronised>
__global__ void through_memory(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  items[tid] = in[tid];  // planted: through memory, write
  if constexpr (Synchronised) {
    __syncwarp();
  } else {
    __shfl_sync(all_lanes, tid, 0);  // meets, and orders no memory
  }
  int other = items[tid ^ 1];  // planted: through memory, read
  out[tid] = other;
}

// The halves of a warp wait each for itself, and then read from each other.
__global__ inline void syncwarp_of_halves(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x, half = warpSize / 2;
  items[tid] = in[tid];  // planted: syncwarp of halves, write
  const unsigned low = (1u << half) - 1;
  __syncwarp(tid % warpSize < half ? low : low << half);
  int other = items[tid ^ half];  // planted: syncwarp of halves, read
  out[tid] = other;
}

// Two warps on either side of a __syncwarp.
__global__ inline void warps_need_a_barrier(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x, next = (tid + warpSize) % blockDim.x;
  items[tid] = in[tid];  // planted: two warps, write
  __syncwarp();
  int other = items[next];  // planted: two warps, read
  out[tid] = other;
}

enum class fences { none, block, device };

template <fences Which>
__device__ inline void fence() {
  if constexpr (Which == fences::block) __threadfence_block();
  if constexpr (Which == fences::device) __threadfence();
}

// out: a counter, then an item of each block, then the sum that the last block makes of them.
// The host sets the counter to zero; the last block resets it.
template <fences Which>
__global__ void last_block(const int* in, std::size_t, int* out) {
  if (threadIdx.x != 0) return;
  out[1 + blockIdx.x] = in[blockIdx.x];  // planted: last block, write
  fence<Which>();
  const int before = atomicAdd(out, 1);
  fence<Which>();
  if (before != static_cast<int>(gridDim.x) - 1) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) {
    sum += out[1 + b];  // planted: last block, read
  }
  out[0] = 0;
  out[1 + gridDim.x] = sum;
}

// The same by all lanes: what one lane's atomic has seen, a barrier shows to the others' fences.
template <fences Which>
__global__ void last_block_of_lanes(const int* in, std::size_t, int* out) {
  __shared__ bool last;
  constexpr unsigned items = 24;
  const unsigned tid = threadIdx.x;
  if (tid < items) {
    out[1 + blockIdx.x * items + tid] = in[tid];  // planted: last block of lanes, write
  }
  fence<Which>();
  __syncthreads();
  if (tid == 0) last = atomicAdd(out, 1) == static_cast<int>(gridDim.x) - 1;
  __syncthreads();
  if (!last) return;
  fence<Which>();
  if (tid >= items) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) {
    sum += out[1 + b * items + tid];  // planted: last block of lanes, read
  }
  out[1 + gridDim.x * items + tid] = sum;
}

// The first lane of a warp that comes leaves an item, the last to come takes it.
template <fences Which>
__global__ void last_warp_of_a_block(const int* in, std::size_t, int* out) {
  __shared__ int counter;
  ONEFOLD_DYNAMIC_SHARED(int, items);
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  if (threadIdx.x % warpSize != 0) return;
  const unsigned warp = threadIdx.x / warpSize, warps = blockDim.x / warpSize;
  items[warp] = in[warp];  // planted: last warp, write
  fence<Which>();
  const int before = atomicAdd(&counter, 1);
  fence<Which>();
  if (before != static_cast<int>(warps) - 1) return;
  int sum = 0;
  for (unsigned w = 0; w < warps; ++w) {
    sum += items[w];  // planted: last warp, read
  }
  out[0] = sum;
}

__global__ inline void atomic_and_plain(const int* in, std::size_t, int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    int early = total;  // planted: atomic and plain, read
    out[1] = early;
  } else {
    atomicAdd(&total, in[threadIdx.x]);  // planted: atomic and plain, atomic
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = total;
}

// A lock without an end: no thread ever unlocks.
__global__ inline void never_unlocked(const int*, std::size_t, int* out) {
  while (atomicCAS(out, 0, 1) != 0) {  // planted: never unlocked
  }
}

}  // namespace onefold::simt::test
