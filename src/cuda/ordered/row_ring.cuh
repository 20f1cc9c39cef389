// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks of rows that a warp copies to shared memory for itself, one after another.
//
// A block of rows is 32 rows of 64 elements. Block of rows b of a chunk belongs to rank b mod
// cluster_size(), there to warp b / cluster_size() mod row_warps. A warp takes its blocks of rows
// of its cluster's chunks in their order, in stages, through a ring of slots that no other warp
// sees: so warps run independently until the cluster synchronises.

#include "cuda/parts/cluster.cuh"
#include "cuda/parts/copy.cuh"
#include "cuda/parts/exponential.cuh"
#include "cuda/parts/lanes.cuh"
#include "cuda/parts/vectors.cuh"
#include "cuda/parts/warp.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

inline constexpr int row_warps = 16;  // of a block
inline constexpr int row_block_items = exponential_rows * int(virtual_lanes);
inline constexpr int row_blocks_of_chunk = int(tuning::chunk_items) / row_block_items;

/// Blocks of rows between two of a warp.
ONEFOLD_HOST_DEVICE constexpr int row_block_step(int cluster) {
  return cluster * row_warps;
}
/// Warps of a block that have blocks of rows.
ONEFOLD_HOST_DEVICE constexpr int ring_warps(int cluster) {
  return row_block_step(cluster) > row_blocks_of_chunk ? row_blocks_of_chunk / cluster : row_warps;
}

/// Vectors of 16 bytes of a stage: of 1 KiB, what a stage costs besides its elements took as long.
inline constexpr int row_stage_vectors = 128;
template <class T>
inline constexpr int row_stage_items = row_stage_vectors* vector_items<T>;
template <class T>
inline constexpr int stages_of_rows = row_block_items / row_stage_items<T>;

/// Slots of a warp's ring, and their vectors of 16 bytes: those of a stage, and of an array that
/// begins within a vector one more.
struct row_ring_shape {
  int stages, vectors;
};
ONEFOLD_HOST_DEVICE constexpr int row_ring_bytes(int cluster, row_ring_shape shape) {
  return ring_warps(cluster) * shape.stages * shape.vectors * 16;
}

/// Where a warp is among its stages. Precondition: it has a block of rows of each chunk.
template <class T>
class row_cursor {
 public:
  ONEFOLD_DEVICE row_cursor(std::int64_t n, int warp)
      : n_(n), begin_(warp * int(cluster_size()) + int(cluster_rank())), row_block_(begin_),
        chunk_(blockIdx.x / cluster_size()) {
    begin_rows();
  }

  ONEFOLD_DEVICE int row_block() const { return row_block_; }
  ONEFOLD_DEVICE std::int64_t first() const { return first_; }  ///< element of the stage
  ONEFOLD_DEVICE int stage() const { return stage_; }           ///< of the block of rows
  ONEFOLD_DEVICE bool whole() const { return left_ == row_block_items; }
  /// Elements from the stage on in the block of rows; below 1 where there are none.
  ONEFOLD_DEVICE int left() const { return left_ - stage_ * row_stage_items<T>; }
  ONEFOLD_DEVICE bool beyond() const { return chunk_ * tuning::chunk_items >= n_; }
  ONEFOLD_DEVICE bool ends_rows() const { return stage_ + 1 == stages_of_rows<T>; }
  ONEFOLD_DEVICE bool ends_chunk() const {
    return ends_rows() && row_block_ + row_block_step(int(cluster_size())) >= row_blocks_of_chunk;
  }
  ONEFOLD_DEVICE void advance() {
    first_ += row_stage_items<T>;
    if (++stage_ < stages_of_rows<T>) return;
    stage_ = 0, row_block_ += row_block_step(int(cluster_size()));
    if (row_block_ >= row_blocks_of_chunk)
      row_block_ = begin_, chunk_ += gridDim.x / cluster_size();
    begin_rows();
  }

 private:
  ONEFOLD_DEVICE void begin_rows() {
    first_ = chunk_ * tuning::chunk_items + row_block_ * row_block_items;
    left_ = int(max(min(n_ - first_, std::int64_t(row_block_items)), std::int64_t(0)));
  }

  std::int64_t n_;
  int begin_, row_block_, stage_ = 0, left_;
  std::int64_t chunk_, first_;
};

/// A warp's ring.
template <class T>
class row_ring {
 public:
  using bits = folds::bits_of<T>;

  /// slots: shape.stages * shape.vectors.
  ONEFOLD_DEVICE row_ring(const T* x, std::int64_t n, uint4* slots, row_ring_shape shape, int warp)
      : all_(x, n), before_(int(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T))),
        base_(x - before_), n_(n), ahead_(n, warp), slots_(slots), shape_(shape) {}

  /// Begins to copy the next stage. Every stage is a group of copies, even where nothing is left.
  ONEFOLD_DEVICE void begin_next() {
    uint4* const slot = slots_ + back_ * shape_.vectors;
    if (ahead_.whole() && before_ == 0)
      copy_whole(base_ + ahead_.first(), slot);
    else if (ahead_.left() > 0)
      copy_shifted(slot);
    end_copies();
    ahead_.advance();
    back_ = slot_after(back_);
  }

  ONEFOLD_DEVICE int stages() const { return shape_.stages; }
  ONEFOLD_DEVICE int slot_after(int which) const {
    return which + 1 == shape_.stages ? 0 : which + 1;
  }
  /// The elements of the stage that lies in a slot.
  ONEFOLD_DEVICE const bits* elements(int which) const {
    return reinterpret_cast<const bits*>(slots_ + which * shape_.vectors) + before_;
  }
  /// Whether stages are whole vectors, of which a lane has copied every 32nd.
  ONEFOLD_DEVICE bool aligned() const { return before_ == 0; }

 private:
  ONEFOLD_DEVICE static void copy_whole(const T* first, uint4* slot) {
    const T* const from = first + int(lane_index()) * vector_items<T>;
    auto* const to = reinterpret_cast<std::int64_t*>(slot + lane_index());
    ONEFOLD_UNROLL
    for (int i = 0; i < row_stage_vectors; i += int(warp_lanes))
      begin_copy(to + 2 * i, from + i * vector_items<T>);
  }
  ONEFOLD_DEVICE void copy_shifted(uint4* slot) const {
    const std::int64_t first = ahead_.first();
    if (first >= before_ && first + row_stage_items<T> + vector_items<T> <= n_) {
      copy_whole(base_ + first, slot);
      if (int(lane_index()) < shape_.vectors - row_stage_vectors)  // of aligned arrays none
        begin_copy(reinterpret_cast<std::int64_t*>(slot + row_stage_vectors),
                   base_ + first + row_stage_items<T>);
      return;
    }
    ONEFOLD_ROLLED
    for (int i = int(lane_index()); i < shape_.vectors; i += int(warp_lanes))
      slot[i] = all_.load_partial(first / vector_items<T> + i).data;
  }

  folds::vectors<T> all_;
  int before_;  // elements between the base and x
  const T* base_;
  std::int64_t n_;
  row_cursor<T> ahead_;
  uint4* slots_;
  row_ring_shape shape_;
  int back_ = 0;
};

}  // namespace onefold::cuda
