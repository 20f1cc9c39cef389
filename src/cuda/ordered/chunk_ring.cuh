// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chunks whose sums wait for little but their own additions.
//
// The lanes of a chunk (chunks.cuh) are two warps, which only add; the others copy the stages of
// the block's chunks into a ring of slots in shared memory, one after another. A chunk of f32 is
// 1024 rows of 64 elements, and a row takes four cycles, those of an addition, so that copies have
// to keep up with 64 bytes a cycle: of one chunk a multiprocessor that takes 192 KiB, of four
// chunks of a large array 48 KiB each. A stage costs some 300 cycles besides its rows, hence longer
// ones where memory suffices. Of few chunks two stages are faster: the first one arrives sooner.

#include "cuda/ordered/chunks.cuh"
#include "cuda/parts/copy.cuh"

namespace onefold::cuda {

inline constexpr unsigned ring_copiers = 128, ring_threads = virtual_lanes + ring_copiers;

/// Slots of a ring, and the vectors of 16 bytes of a stage, of all arrays together.
struct ring_shape {
  int stages, vectors;
};
/// For few blocks, for 1, 2 and more of them a multiprocessor, and for devices with less memory.
inline constexpr int ring_shapes = 5;
ONEFOLD_HOST_DEVICE constexpr ring_shape ring_shape_of(int which) {
  return which == 0   ? ring_shape{2, 4096}
         : which == 1 ? ring_shape{3, 4096}
         : which == 2 ? ring_shape{3, 2048}
         : which == 3 ? ring_shape{3, 1024}
                      : ring_shape{2, 1024};
}
/// After the vectors of each array there is space for one more, of an array that begins within one;
/// slots begin where lines of 128 bytes do, as arrays mostly do: else copies take twice as long.
inline constexpr int vectors_behind = 8;
ONEFOLD_HOST_DEVICE constexpr unsigned ring_bytes(int arrays, ring_shape shape) {
  return unsigned(shape.stages * (shape.vectors + arrays * vectors_behind)) * 16;
}

/// One array's vectors, counted from the multiple of 16 bytes at or before its first element.
template <class T>
class stage_copier {
 public:
  using bits = folds::bits_of<T>;

  ONEFOLD_DEVICE stage_copier(const T* x, std::int64_t n)
      : all_(x, n), before_(int(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T))),
        base_(x - before_), end_(n + before_) {}

  /// Begins to copy so many vectors, and the one after them, from element `first` on, a multiple of
  /// their elements; of elements that are not the array's, nothing. Thread `me` of ring_copiers.
  ONEFOLD_DEVICE void begin(std::int64_t first, int vectors, uint4* slot, int me) const {
    const int asked = vectors + (before_ != 0), head = first < before_;
    const std::int64_t left = (end_ - first) / vector_items<T>;
    const int whole = left < asked ? int(left) : asked;
    const T* const from = base_ + first;
    ONEFOLD_UNROLL_BY_4
    for (int i = head + me; i < whole; i += int(ring_copiers))
      begin_copy(reinterpret_cast<std::int64_t*>(slot + i), from + i * vector_items<T>);
    const bool tail = whole < asked && whole >= head && end_ % vector_items<T> != 0;
    if (me == 0 && head != 0) slot[0] = all_.load_partial(0).data;
    if (me == 1 && tail) slot[whole] = all_.load_partial(first / vector_items<T> + whole).data;
  }

  /// The elements of a stage that lies there.
  ONEFOLD_DEVICE const bits* elements(const uint4* slot) const {
    return reinterpret_cast<const bits*>(slot) + before_;
  }

 private:
  folds::vectors<T> all_;
  int before_;  // elements between the base and x
  const T* base_;
  std::int64_t end_;  // of the array, in elements from the base
};

/// The stages of a block's chunks blockIdx.x, blockIdx.x + gridDim.x, … in their order.
template <class T, int Arrays>
class chunk_ring {
 public:
  /// slots: ring_bytes(Arrays, shape).
  ONEFOLD_DEVICE chunk_ring(const T* x, const T* y, std::int64_t n, uint4* slots, ring_shape shape)
      : of_{{x, n}, {y, n}}, n_(n), ahead_(blockIdx.x * tuning::chunk_items), slots_(slots),
        shape_(shape), vectors_(shape.vectors / Arrays) {
    ONEFOLD_ROLLED
    for (int i = 1; i < shape.stages; ++i) begin_next();
  }

  ONEFOLD_DEVICE int items() const { return vectors_ * vector_items<T>; }  ///< of a stage

  /// The next stage, which stays until the next call. Every thread of the block calls it.
  ONEFOLD_DEVICE const uint4* next() {
    if (shape_.stages == 3)
      wait_for_copies<1>();
    else
      wait_for_copies<0>();
    __syncthreads();  // the stage is there, and that of the last call is free
    begin_next();
    const uint4* const stage = slots_ + front_ * slot_size();
    front_ = front_ + 1 == shape_.stages ? 0 : front_ + 1;
    return stage;
  }

  ONEFOLD_DEVICE auto elements(int array, const uint4* stage) const {
    return of_[array].elements(stage + array * (vectors_ + vectors_behind));
  }

 private:
  ONEFOLD_DEVICE int slot_size() const { return shape_.vectors + Arrays * vectors_behind; }

  // Every stage is a group of copies, even where there is nothing left.
  ONEFOLD_DEVICE void begin_next() {
    if (threadIdx.x < virtual_lanes) return;
    if (ahead_ < n_) {
      ONEFOLD_UNROLL
      for (int a = 0; a < Arrays; ++a)
        of_[a].begin(ahead_, vectors_,
                     slots_ + back_ * slot_size() + a * (vectors_ + vectors_behind),
                     int(threadIdx.x - virtual_lanes));
      back_ = back_ + 1 == shape_.stages ? 0 : back_ + 1;
      ahead_ += items();
      if (ahead_ % tuning::chunk_items == 0) ahead_ += (gridDim.x - 1) * tuning::chunk_items;
    }
    end_copies();
  }

  stage_copier<T> of_[2];
  std::int64_t n_, ahead_;
  uint4* slots_;
  ring_shape shape_;
  int vectors_, back_ = 0, front_ = 0;
};

/// Adds the elements of a stage to the sum of this thread's lane. One group of rows is loaded while
/// the one before is added.
template <int Arrays, class T, class Term>
ONEFOLD_DEVICE fast_number<T> add_stage(const chunk_ring<T, Arrays>& ring, const uint4* stage,
                                        int count, fast_number<T> sum, const Term& term) {
  constexpr int rows = Arrays == 1 && sizeof(fast_number<T>) == 4 ? 16 : 8;
  constexpr int lanes = int(virtual_lanes), step = rows * lanes;
  const auto* const x = ring.elements(0, stage) + threadIdx.x;
  const auto* const y = ring.elements(Arrays - 1, stage) + threadIdx.x;
  struct group {
    fast_number<T> of[rows];
  };
  const auto load = [&](int first, group& to) {
    const auto *const a = x + first, *const b = y + first;
    ONEFOLD_UNROLL
    for (int r = 0; r < rows; ++r)
      to.of[r] = term(number_of<T>(a[r * lanes]), number_of<T>(b[r * lanes]));
  };
  const auto add = [&](const group& from) {
    ONEFOLD_UNROLL
    for (int r = 0; r < rows; ++r) sum += from.of[r];
  };
  int done = 0;
  if (count >= step) {
    group even, odd;
    load(0, even);
    ONEFOLD_ROLLED
    for (; done + 2 * step <= count; done += 2 * step) {
      load(done + step, odd);
      add(even);
      load(done + 3 * step <= count ? done + 2 * step : 0, even);
      add(odd);
    }
    if (done + step <= count) add(even), done += step;
  }
  ONEFOLD_ROLLED
  for (; done + int(threadIdx.x) < count; done += lanes)
    sum += term(number_of<T>(x[done]), number_of<T>(y[done]));
  return sum;
}

}  // namespace onefold::cuda
