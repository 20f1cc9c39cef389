// SPDX-License-Identifier: Apache-2.0
#pragma once
// A chunk of a reduction whose order is part of its bits, as the CPU's engine shapes it.
//
// The term of element i of a chunk goes to virtual lane i mod 64, in the order of i; then the lanes
// fold by halves. Threads 0 … 63 of a block are the lanes. All of its threads load: a stage of
// vectors is in registers while the one before is added from shared memory, where elements keep
// their offset from a multiple of 16 bytes, so that every load is aligned whatever the array is.

#include "cuda/parts/lanes.cuh"
#include "cuda/parts/load.cuh"
#include "cuda/parts/vectors.cuh"
#include "cuda/parts/warp.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

inline constexpr unsigned chunk_threads = 256;
inline constexpr int loads_of_stage = 4;  // of a thread
inline constexpr unsigned stage_vectors = chunk_threads * loads_of_stage;

/// Stages of an array through registers into shared memory.
template <class T>
class stage_reader {
 public:
  static constexpr std::int64_t items = std::int64_t(stage_vectors) * vector_items<T>;

  ONEFOLD_DEVICE stage_reader(const T* x, std::int64_t n)
      : from_(x, n), before_(unsigned(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T))),
        end_(n) {}

  /// The stage that begins at element `first`, a multiple of `items`; past the array, nothing.
  ONEFOLD_DEVICE void load(std::int64_t first) {
    const std::int64_t at = first / vector_items<T> + threadIdx.x;
    if (first >= before_ && first + items + vector_items<T> <= end_) {
      ONEFOLD_UNROLL
      for (int i = 0; i < loads_of_stage; ++i) held_[i] = from_.load(at + i * chunk_threads);
      if (threadIdx.x == 0 && before_ != 0) behind_ = from_.load(at + stage_vectors);
    } else {
      ONEFOLD_UNROLL
      for (int i = 0; i < loads_of_stage; ++i)
        held_[i] = from_.load_partial(at + i * chunk_threads).data;
      if (threadIdx.x == 0) behind_ = from_.load_partial(at + stage_vectors).data;
    }
  }

  ONEFOLD_DEVICE void store(uint4* stage) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < loads_of_stage; ++i) stage[threadIdx.x + i * chunk_threads] = held_[i];
    if (threadIdx.x == 0) stage[stage_vectors] = behind_;
  }

  /// Element i of a stage that lies there.
  ONEFOLD_DEVICE fast_number<T> element(const uint4* stage, std::int64_t i) const {
    return number_of<T>(reinterpret_cast<const folds::bits_of<T>*>(stage)[i + before_]);
  }

 private:
  folds::vectors<T> from_;
  unsigned before_;
  std::int64_t end_;
  uint4 held_[loads_of_stage], behind_ = {0, 0, 0, 0};
};

/// Shared memory of a block.
template <class Number, int Arrays>
struct chunk_memory {
  uint4 stage[Arrays][stage_vectors + 1];
  Number lanes[virtual_lanes / 2];
  Number mean;
};

template <int Arrays, class T>
ONEFOLD_DEVICE void load_stage(stage_reader<T> (&of)[2], std::int64_t first) {
  ONEFOLD_UNROLL
  for (int a = 0; a < Arrays; ++a) of[a].load(first);
}

/// Elements first … first + count of one or two arrays, through `term` to the lanes' sums. Their
/// first stage has been loaded; that of the elements from `next` on is afterwards.
/// Every thread of the block calls it.
template <int Arrays, class T, class Term>
ONEFOLD_DEVICE fast_number<T>
sum_of_lane(stage_reader<T> (&of)[2], std::int64_t first, std::int64_t count, std::int64_t next,
            chunk_memory<fast_number<T>, Arrays>& memory, const Term& term) {
  constexpr std::int64_t items = stage_reader<T>::items;
  fast_number<T> sum = fast_number<T>(-0.0);
  const auto add = [&](std::int64_t i) {
    sum += term(of[0].element(memory.stage[0], i),
                of[Arrays - 1].element(memory.stage[Arrays - 1], i));
  };
  ONEFOLD_ROLLED
  for (std::int64_t done = 0; done < count; done += items) {
    ONEFOLD_UNROLL
    for (int a = 0; a < Arrays; ++a) of[a].store(memory.stage[a]);
    __syncthreads();
    load_stage<Arrays>(of, done + items < count ? first + done + items : next);
    if (threadIdx.x < virtual_lanes) {
      std::int64_t i = threadIdx.x;
      const std::int64_t left = min(count - done, items);
      constexpr int rows = 8;  // at once
      ONEFOLD_ROLLED
      for (; i + (rows - 1) * virtual_lanes < left; i += rows * virtual_lanes) {
        ONEFOLD_UNROLL
        for (int row = 0; row < rows; ++row) add(i + row * std::int64_t(virtual_lanes));
      }
      ONEFOLD_ROLLED
      for (; i < left; i += virtual_lanes) add(i);
    }
    __syncthreads();
  }
  return sum;
}

/// The fold of the lanes by halves, in thread 0. Every thread of the block calls it.
template <class Number>
ONEFOLD_DEVICE Number fold_lanes(Number sum, Number* upper_lanes) {
  const unsigned half = virtual_lanes / 2;
  if (threadIdx.x >= half && threadIdx.x < virtual_lanes) upper_lanes[threadIdx.x - half] = sum;
  __syncthreads();
  if (threadIdx.x >= half) return sum;
  sum = sum + upper_lanes[threadIdx.x];
  for (unsigned step = half / 2; step > 0; step /= 2)
    sum = sum + __shfl_down_sync(whole_warp, sum, step);
  return sum;
}

}  // namespace onefold::cuda
