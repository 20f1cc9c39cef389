// SPDX-License-Identifier: Apache-2.0
#pragma once
// A warp's ring of stages in shared memory, which asynchronous copies fill while the oldest one is
// read.
//
// The copies are of 16 bytes, wherever rows begin; only the bytes at the two ends of the array are
// copied one element at a time, so that nothing outside of it is read.

#include "cuda/loaders/row_tiles.hpp"
#include "cuda/primitives/copy.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"

#include <utility>

namespace onefold::cuda {

/// T: what the elements are. Vectors: all that is copied is whole vectors of 16 bytes. Every lane
/// of the warp calls every function.
template <class T, bool Vectors>
class tile_stages {
 public:
  /// stages: shape.stages * shape.stage_bytes of this warp, at a multiple of 16 bytes.
  ONEFOLD_DEVICE tile_stages(const strided_rows& rows, std::int64_t* stages)
      : rows_(rows), shape_(rows.shape), stages_(reinterpret_cast<std::byte*>(stages)) {}

  ONEFOLD_DEVICE void begin() { put_ = take_ = 0; }
  /// After this the stages are free.
  ONEFOLD_DEVICE void end() {
    wait_for_copies<0>();
    __syncwarp();
  }

  /// Bytes from the begin of a stage to what was copied from there.
  ONEFOLD_DEVICE int offset(const std::byte* from) const {
    return Vectors ? 0 : int(reinterpret_cast<std::uintptr_t>(from)) & (shape_.alignment - 1);
  }
  /// The same from the begin of a row that is copied by itself.
  ONEFOLD_DEVICE static int row_offset(const std::byte* from) {
    return Vectors ? 0 : int(reinterpret_cast<std::uintptr_t>(from) % 16);
  }
  /// Whether a tile of rows is copied as one; else each row has an offset of its own.
  ONEFOLD_DEVICE bool are_dense() const { return rows_.stride == shape_.pitch; }

  /// Copies bytes to the next stage.
  ONEFOLD_DEVICE void copy(const std::byte* from, int bytes) {
    const int before = offset(from), last = before + bytes;
    if (!is_inside(from - before, last))
      return copy_items(stages_ + put_ + before, from, bytes, int(lane_index()), int(warp_lanes));
    const int first = int(lane_index()) * 16;
    auto* const to = reinterpret_cast<std::int64_t*>(stages_ + put_ + first);
    const std::byte* const source = from - before + first;
    constexpr std::make_integer_sequence<int, row_tile_bytes / 512> pieces;
    if (last < row_tile_bytes)
      copy_vectors(to, source, last - first, pieces);
    else
      copy_vectors(to, source, pieces);
    if (!Vectors && first + row_tile_bytes < last) begin_copy<row_tile_bytes>(to, source);
  }
  /// Copies rows to the next stage: this lane, at `place` of shape.lanes, those from `row` on by
  /// `step`.
  ONEFOLD_DEVICE void copy_rows(const std::byte* from, int rows, int place, int row, int step) {
    const int bytes = shape_.piece * int(sizeof(T));
    if (are_dense()) return copy(from, (rows - 1) * shape_.pitch + bytes);
    ONEFOLD_ROLLED
    for (int r = row; r < rows; r += step) {
      std::byte* const to = stages_ + put_ + r * shape_.pitch;
      const std::byte* const first = from + r * rows_.stride;
      const int before = row_offset(first);
      if (!is_inside(first - before, before + bytes)) {
        copy_items(to + before, first, bytes, place, shape_.lanes);
        continue;
      }
      ONEFOLD_ROLLED
      for (int at = place * 16; at < before + bytes; at += shape_.lanes * 16)
        begin_copy(reinterpret_cast<std::int64_t*>(to + at), first - before + at);
    }
  }
  /// Ends the copies to a stage: a group of them, even where there is nothing left to copy.
  ONEFOLD_DEVICE void end_request() {
    end_copies();
    put_ = next(put_);
  }

  /// The stage that was requested first; its predecessor is free for the next request.
  ONEFOLD_DEVICE const std::byte* oldest() {
    if (shape_.stages == 2)
      wait_for_copies<0>();
    else if (shape_.stages == 3)
      wait_for_copies<1>();
    else
      wait_for_copies<2>();
    __syncwarp();
    const std::byte* const at = stages_ + take_;
    take_ = next(take_);
    return at;
  }

 private:
  using bits = decltype(bits_at(static_cast<const T*>(nullptr)));

  // Whether the whole vectors of these bytes are in the array.
  ONEFOLD_DEVICE bool is_inside(const std::byte* from, int bytes) const {
    return Vectors || (from >= rows_.begin && from + (bytes + 15) / 16 * 16 <= rows_.end);
  }
  // Every 32nd vector of a tile.
  template <int... I>
  ONEFOLD_DEVICE static void copy_vectors(std::int64_t* to, const std::byte* from,
                                          std::integer_sequence<int, I...>) {
    (begin_copy<I * 512>(to, from), ...);
  }
  // Of those the ones that begin in the bytes that are left.
  template <int... I>
  ONEFOLD_DEVICE static void copy_vectors(std::int64_t* to, const std::byte* from, int left,
                                          std::integer_sequence<int, I...>) {
    ((I * 512 < left ? begin_copy<I * 512>(to, from) : void()), ...);
  }
  ONEFOLD_DEVICE static void copy_items(std::byte* to, const std::byte* from, int bytes, int lane,
                                        int lanes) {
    ONEFOLD_ROLLED
    for (int at = lane * int(sizeof(T)); at < bytes; at += lanes * int(sizeof(T)))
      *reinterpret_cast<bits*>(to + at) = *reinterpret_cast<const bits*>(from + at);
  }
  ONEFOLD_DEVICE int next(int stage) const {
    return stage + shape_.stage_bytes == shape_.stages * shape_.stage_bytes
               ? 0
               : stage + shape_.stage_bytes;
  }

  const strided_rows& rows_;
  const row_tile_shape& shape_;
  std::byte* stages_;
  int put_ = 0;   // bytes to the stage that is filled next
  int take_ = 0;  // bytes to the stage that is read next
};

}  // namespace onefold::cuda
