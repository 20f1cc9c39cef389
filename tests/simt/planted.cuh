// SPDX-License-Identifier: Apache-2.0
#pragma once
// The comments "planted: ..." mark the lines that a report must name; defects_test.cpp looks for
// them. One statement a line.

#include "simt/simt.hpp"

namespace onefold::simt::test {

__global__ inline void missing_barrier(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  items[threadIdx.x] = in[threadIdx.x];             // planted: missing barrier, write
  int other = items[blockDim.x - 1 - threadIdx.x];  // planted: missing barrier, read
  out[threadIdx.x] = other;
}

// Each lane reads its right neighbour and itself before it writes itself: the last reader of a
// word is its own writer, and only a set of readers remembers the neighbour.
__global__ inline void read_then_written(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  items[tid] = in[tid];
  __syncthreads();
  int sum = items[(tid + 1) % blockDim.x];  // planted: read then written, read
  sum += items[tid];
  items[tid] = sum;  // planted: read then written, write
  __syncthreads();
  out[tid] = items[tid];
}

__global__ inline void two_blocks_write(const int* in, std::size_t, int* out) {
  if (threadIdx.x == 0) {
    out[0] = in[blockIdx.x];  // planted: two blocks write
  }
}

__global__ inline void one_block_reads_another(const int* in, std::size_t, int* out) {
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[blockIdx.x];              // planted: one block reads another, write
    int next = out[(blockIdx.x + 1) % gridDim.x];  // planted: one block reads another, read
    out[gridDim.x + blockIdx.x] = next;
  }
}

__global__ inline void neighbouring_bytes(const int* in, std::size_t, int* out) {
  __shared__ unsigned char bytes[64];
  bytes[threadIdx.x] = static_cast<unsigned char>(in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = bytes[63 - threadIdx.x];
}

__global__ inline void reads_past_the_end(const int* in, std::size_t n, int* out) {
  std::size_t at = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[at + n - blockDim.x * gridDim.x + 1];  // planted: reads past the end
  out[at] = value;
}

__global__ inline void writes_before_the_beginning(const int* in, std::size_t, int* out) {
  int value = in[threadIdx.x];
  *(out + threadIdx.x - 1) = value;  // planted: writes before the beginning
}

__global__ inline void dynamic_shared_overrun(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  items[threadIdx.x + 1] = in[threadIdx.x];  // planted: dynamic shared overrun
  out[threadIdx.x] = 0;
}

__global__ inline void static_shared_overrun(const int* in, std::size_t, int* out) {
  __shared__ int few[40];
  few[threadIdx.x] = in[threadIdx.x];  // planted: static shared overrun
  out[threadIdx.x] = few[0];
}

__global__ inline void null_pointer(const int*, std::size_t, int*) {
  int* nowhere = nullptr;
  asm volatile("" : "+r"(nowhere));  // hides the null from the optimiser
  *nowhere = 1;                      // planted: null pointer
}

__global__ inline void unwritten_shared(const int*, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  int value = items[threadIdx.x];  // planted: unwritten shared
  out[threadIdx.x] = value;
}

__global__ inline void unwritten_global(const int*, std::size_t, int* out) {
  int value = out[threadIdx.x];  // planted: unwritten global
  out[threadIdx.x] = value + 1;
}

__global__ inline void two_barriers(const int* in, std::size_t, int* out) {
  out[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  // planted: two barriers, even
  } else {
    __syncthreads();  // planted: two barriers, odd
  }
}

__global__ inline void some_lanes_leave(const int* in, std::size_t, int* out) {
  if (threadIdx.x >= 40) return;
  out[threadIdx.x] = in[threadIdx.x];
  __syncthreads();  // planted: some lanes leave
}

__global__ inline void waits_for_ever(const int* in, std::size_t, int*) {
  const volatile int* flag = in;
  while (*flag >= 0) {  // planted: waits for ever
  }
}

// Lane 1 waits for lane 0 or the other way round: with fair scheduling both end.
__global__ inline void waits_for_the_other(const int*, std::size_t n, int* out) {
  volatile int* flag = out;
  const unsigned first = static_cast<unsigned>(n % 2);
  if (threadIdx.x == first) {
    flag[0] = 1;
  } else if (threadIdx.x == 1 - first) {
    while (flag[0] != 1) {
    }
  }
}

// The last warp as it was written before Volta: volatile, but nothing orders the lanes.
__global__ inline void volatile_warp(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  items[tid] = in[tid];
  __syncthreads();
  if (tid < 32) {
    volatile int* warp = items;
    for (unsigned s = 32; s > 0; s /= 2) {
      int value = warp[tid];
      int other = warp[tid + s];
      warp[tid] = value + other;  // planted: volatile warp
    }
  }
  if (tid == 0) out[0] = items[0];
}

}  // namespace onefold::simt::test
