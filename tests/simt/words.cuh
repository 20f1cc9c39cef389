// SPDX-License-Identifier: Apache-2.0
#pragma once
// One statement a fact: the right-hand side is written from CUDA's description of the word.

#include "simt/simt.hpp"

namespace onefold::simt::test {

/// Where a lane writes its facts down.
struct notebook {
  int* next;
  __device__ void note(bool fact) {
    *next = fact ? 1 : 0;
    next += blockDim.x;
  }
};

inline constexpr unsigned everyone = 0xFFFFFFFF;

inline __device__ unsigned lane_of_warp() {
  return threadIdx.x % static_cast<unsigned>(warpSize);
}

/// Lanes of the warp as a mask.
inline __device__ unsigned whole_warp() {
  return everyone >> (32 - warpSize);
}

/// Every source for one width and argument.
template <class T>
__device__ void note_shuffles(notebook& notes, unsigned argument, unsigned width) {
  const unsigned lane = lane_of_warp(), first = lane / width * width, place = lane - first;
  const auto value = [](unsigned l) { return static_cast<T>(l * T(1000000007)); };
  const T own = value(lane);
  const int w = static_cast<int>(width), a = static_cast<int>(argument);
  notes.note(__shfl_sync(everyone, own, a, w) == value(first + argument % width));
  notes.note(__shfl_up_sync(everyone, own, argument, w) ==
             value(place >= argument ? lane - argument : lane));
  notes.note(__shfl_down_sync(everyone, own, argument, w) ==
             value(place + argument < width ? lane + argument : lane));
  notes.note(__shfl_xor_sync(everyone, own, a, w) ==
             value((lane ^ argument) < first + width ? lane ^ argument : lane));
}

inline constexpr unsigned shuffle_facts = 4 * 3 * 4;

/// Widths of the whole warp, of half of it and of one lane.
template <class T>
__global__ void shuffles(int* out) {
  notebook notes{out + threadIdx.x};
  const unsigned widths[] = {static_cast<unsigned>(warpSize), warpSize / 2u, 1};
  const unsigned arguments[] = {0, 1, 2, warpSize - 1u};
  for (const unsigned width : widths) {
    for (const unsigned argument : arguments) note_shuffles<T>(notes, argument, width);
  }
}

inline constexpr unsigned vote_facts = 8;

__global__ inline void votes(int* out) {
  notebook notes{out + threadIdx.x};
  const unsigned lane = lane_of_warp(), odd = 0xAAAAAAAA & whole_warp();
  const unsigned group = lane % 2 == 1 ? odd : whole_warp() & ~odd;
  notes.note(__ballot_sync(everyone, lane % 2) == odd);
  notes.note(__ballot_sync(group, 1) == group);
  notes.note(__any_sync(everyone, lane == 1) == 1);
  notes.note(__any_sync(everyone, 0) == 0);
  notes.note(__all_sync(everyone, lane == 1) == 0);
  notes.note(__all_sync(everyone, 17) == 1);
  notes.note(__match_any_sync(everyone, lane % 2) == group);
  notes.note((__activemask() >> lane & 1) == 1);
}

inline constexpr unsigned reduce_facts = 9;

/// Signed values from -1 down, so that signed and unsigned order differ.
__global__ inline void reduces(int* out) {
  notebook notes{out + threadIdx.x};
  const unsigned lane = lane_of_warp(), lanes = static_cast<unsigned>(warpSize);
  const int n = warpSize, below = 1 - static_cast<int>(lane);
  notes.note(__reduce_add_sync(everyone, below) == n - n * (n - 1) / 2);
  notes.note(__reduce_min_sync(everyone, below) == 2 - n);
  notes.note(__reduce_max_sync(everyone, below) == 1);
  notes.note(__reduce_add_sync(everyone, lane) == lanes * (lanes - 1) / 2);
  notes.note(__reduce_min_sync(everyone, lane - 1) == 0);
  notes.note(__reduce_max_sync(everyone, lane - 1) == 0xFFFFFFFF);
  notes.note(__reduce_and_sync(everyone, lane | 0x80) == 0x80);
  notes.note(__reduce_or_sync(everyone, lane) == lanes - 1);
  notes.note(__reduce_xor_sync(everyone, lane == 2 ? 5u : 0u) == 5);
}

inline constexpr unsigned barrier_facts = 3;

__global__ inline void barriers(int* out) {
  notebook notes{out + threadIdx.x};
  notes.note(__syncthreads_count(threadIdx.x % 4 == 0) == static_cast<int>(blockDim.x) / 4);
  notes.note(__syncthreads_and(threadIdx.x != 3) == 0);
  notes.note(__syncthreads_or(threadIdx.x == 3) == 1);
}

/// A word of global memory after the facts, or one of shared memory.
template <class T>
__device__ T* place_for(bool shared, int* out, unsigned facts) {
  __shared__ T word;
  return shared ? &word : reinterpret_cast<T*>(out + facts * blockDim.x);
}

template <class T>
__device__ void begin_with(T* word, T value) {
  __syncthreads();
  if (threadIdx.x == 0) *word = value;
  __syncthreads();
}

/// Whether the word holds the value after what all lanes have done to it.
template <class T>
__device__ bool ends_with(T* word, T value) {
  __syncthreads();
  return *word == value;
}

template <class T>
__device__ T number(unsigned i) {
  return static_cast<T>(i);
}

inline constexpr unsigned sum_facts = 2;

template <class T, bool Shared>
__global__ void atomic_sums(int* out) {
  notebook notes{out + threadIdx.x};
  T* const word = place_for<T>(Shared, out, sum_facts);
  const unsigned lanes = blockDim.x, tid = threadIdx.x;
  begin_with(word, T(7));
  atomicAdd(word, number<T>(tid));
  notes.note(ends_with(word, number<T>(7 + lanes * (lanes - 1) / 2)));
  // The values returned are those there before: with equal summands, each once.
  begin_with(word, T(0));
  const auto before = static_cast<unsigned>(atomicAdd(word, T(1)));
  notes.note(before < lanes && __syncthreads_count(before % 2 == 0) == static_cast<int>(lanes) / 2);
}

inline constexpr unsigned integer_facts = 7;

template <class T, bool Shared>
__global__ void atomic_integers(int* out) {
  notebook notes{out + threadIdx.x};
  T* const word = place_for<T>(Shared, out, integer_facts);
  const unsigned lanes = blockDim.x, tid = threadIdx.x;
  begin_with(word, T(100));
  atomicMin(word, number<T>(tid + 3));
  notes.note(ends_with(word, T(3)));
  begin_with(word, T(1));
  atomicMax(word, number<T>(tid));
  notes.note(ends_with(word, number<T>(lanes - 1)));
  begin_with(word, T(0xFF));
  atomicAnd(word, number<T>(~(1u << tid % 8) & 0x7F));
  notes.note(ends_with(word, T(0)));
  begin_with(word, T(0));
  atomicOr(word, number<T>(1u << tid % 8));
  notes.note(ends_with(word, T(0xFF)));
  begin_with(word, T(9));
  atomicXor(word, number<T>(tid == 5 ? 3 : 0));
  notes.note(ends_with(word, T(10)));
  begin_with(word, number<T>(lanes));
  const T before = atomicExch(word, number<T>(tid));
  notes.note(before <= number<T>(lanes) && before != number<T>(tid));
  // Each lane adds one to what it found, and again if another was faster.
  begin_with(word, T(0));
  T found = atomicCAS(word, T(0), T(0)), expected = 0;
  do {
    expected = found;
    found = atomicCAS(word, expected, static_cast<T>(expected + 1));
  } while (found != expected);
  notes.note(ends_with(word, number<T>(lanes)));
}

inline constexpr unsigned wrap_facts = 3;

template <bool Shared>
__global__ void atomic_wraps(int* out) {
  notebook notes{out + threadIdx.x};
  unsigned* const word = place_for<unsigned>(Shared, out, wrap_facts);
  begin_with(word, 0u);
  atomicInc(word, blockDim.x - 2);  // lanes + 1 states less two: once around and one more
  notes.note(ends_with(word, 1u));
  begin_with(word, 2u);
  atomicDec(word, blockDim.x - 1);
  notes.note(ends_with(word, 2u));
  begin_with(word, 5u);
  atomicSub(word, 1u);
  notes.note(ends_with(word, 5u - blockDim.x));
}

}  // namespace onefold::simt::test
