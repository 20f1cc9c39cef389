// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels of which one can say beforehand what is counted; counts_test.cpp says it.

#include "simt/counted.hpp"
#include "simt/simt.hpp"

namespace onefold::simt::test {

inline constexpr unsigned full = 0xFFFFFFFF;

__global__ inline void shuffle_tree(int* out) {
  int value = static_cast<int>(threadIdx.x);
  for (unsigned s = warpSize / 2; s > 0; s /= 2) value += __shfl_down_sync(full, value, s);
  if (threadIdx.x % warpSize == 0) out[threadIdx.x / warpSize] = value;
}

__global__ inline void shuffles_of_halves(int* out) {
  const unsigned mask = threadIdx.x % 32 < 16 ? 0x0000FFFF : 0xFFFF0000;
  out[threadIdx.x] = __shfl_xor_sync(mask, static_cast<int>(threadIdx.x), 1);
}

__global__ inline void every_vote(int* out) {
  const int odd = threadIdx.x % 2;
  int sum = static_cast<int>(__ballot_sync(full, odd)) + __any_sync(full, odd);
  sum += __all_sync(full, odd) + static_cast<int>(__match_any_sync(full, odd));
  out[threadIdx.x] = sum + __reduce_add_sync(full, odd);
}

__global__ inline void fences_and_syncs(int* out) {
  __threadfence_block();
  __syncwarp();
  __threadfence();
  __syncwarp();
  out[threadIdx.x] = 0;
}

__global__ inline void atomics_on_one(int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, 1);
  atomicMax(out, static_cast<int>(threadIdx.x));
}

__global__ inline void atomics_in_a_row(int* out) {
  __shared__ int totals[64];
  atomicExch(&totals[threadIdx.x], 1);
  atomicExch(out + threadIdx.x, 1);
}

__global__ inline void atomics_apart(int* out) {
  atomicExch(out + 8 * threadIdx.x, 1);
}

__global__ inline void atomics_of_8_bytes(int* out) {
  atomicExch(reinterpret_cast<unsigned long long*>(out) + threadIdx.x, 1ull);
}

__global__ inline void copies_and_clears(int* out) {
  __shared__ int copy[8];
  if (threadIdx.x != 0) return;
  out += 16 * blockIdx.x;
  for (int i = 0; i < 8; ++i) copy[i] = out[i];
  for (int i = 0; i < 8; ++i) out[i] = 0;
  for (int i = 0; i < 8; ++i) out[8 + i] = copy[i];
}

__global__ inline void counted_tree(int* out) {
  ONEFOLD_DYNAMIC_SHARED(counted<int>, items);
  const unsigned tid = threadIdx.x;
  items[tid] = static_cast<int>(tid);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = static_cast<int>(items[0]);
}

}  // namespace onefold::simt::test
