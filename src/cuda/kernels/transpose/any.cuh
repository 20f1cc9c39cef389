// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies of matrices of any strides, an element at a time.
//
// A block moves one tile through shared memory, so that its lanes may walk along one axis of the
// input and along the other of the output. The host gives the tile its shape: where a matrix has
// few columns or few rows, the tile has all of them.

#include "cuda/kernels/transpose/shapes.hpp"
#include "cuda/primitives/raw.cuh"
#include "request/matrix_copy.hpp"

namespace onefold::cuda {

/// Loads that a lane issues before it uses the first.
inline constexpr unsigned any_loads = 8;

/// The places of a lane in a rectangle that is walked row by row.
class lane_walk {
 public:
  ONEFOLD_DEVICE lane_walk(unsigned wide, unsigned high)
      : wide_(wide), high_(high), minor_step_(any_threads % wide), major_step_(any_threads / wide),
        minor(threadIdx.x % wide), major(threadIdx.x / wide) {}
  ONEFOLD_DEVICE bool inside() const { return major < high_; }
  ONEFOLD_DEVICE void step() {
    minor += minor_step_, major += major_step_;
    if (minor >= wide_) minor -= wide_, ++major;
  }

 private:
  unsigned wide_, high_, minor_step_, major_step_;

 public:
  unsigned minor, major;
};

template <class T>
ONEFOLD_DEVICE void load_any(const matrix_copy& part, const any_tile& shape, std::byte* tile) {
  lane_walk at{unsigned(part.columns), unsigned(part.rows)};
  while (at.inside()) {
    T items[any_loads];
    unsigned places[any_loads];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < any_loads; ++i, at.step()) {
      places[i] = at.major * shape.pitch_bytes + at.minor * unsigned(sizeof(T));
      if (at.inside())
        items[i] = load_raw<T>(part.from + at.major * part.from_row + at.minor * part.from_column,
                               shape.aligned);
      else
        places[i] = any_tile_bytes;
    }
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < any_loads; ++i)
      if (places[i] < any_tile_bytes) *reinterpret_cast<T*>(tile + places[i]) = items[i];
  }
}

template <class T>
ONEFOLD_DEVICE void store_any(const matrix_copy& part, const any_tile& shape,
                              const std::byte* tile) {
  const unsigned rows = unsigned(part.rows), columns = unsigned(part.columns);
  for (lane_walk at(shape.along_rows ? rows : columns, shape.along_rows ? columns : rows);
       at.inside(); at.step()) {
    const unsigned row = shape.along_rows ? at.minor : at.major;
    const unsigned column = shape.along_rows ? at.major : at.minor;
    const T item =
        *reinterpret_cast<const T*>(tile + row * shape.pitch_bytes + column * unsigned(sizeof(T)));
    store_raw<T>(part.to + row * part.to_row + column * part.to_column, item, shape.aligned);
  }
}

template <class T>
ONEFOLD_DEVICE void copy_tile(const matrix_copy& part, const any_tile& shape, std::byte* tile) {
  load_any<T>(part, shape, tile);
  __syncthreads();
  store_any<T>(part, shape, tile);
}

/// Shape:  copy of elements of 1, 2, 4 or 8 bytes, any strides; any_threads lanes; a block for each
///         tile, row by row of tiles; shape.high * shape.pitch_bytes <= any_tile_bytes.
/// Error:  none: elements keep their bits; nothing else is written.
/// Order:  none.
static __global__ void __launch_bounds__(any_threads, 4)
    copy_any(const matrix_copy copy, const any_tile shape) {
  __shared__ std::uint64_t tile[any_tile_bytes / sizeof(std::uint64_t)];
  auto* const bytes = reinterpret_cast<std::byte*>(tile);
  const std::int64_t row = std::int64_t(blockIdx.x / shape.across) * shape.high;
  const std::int64_t column = std::int64_t(blockIdx.x % shape.across) * shape.wide;
  matrix_copy part = copy;
  part.from += row * copy.from_row + column * copy.from_column;
  part.to += row * copy.to_row + column * copy.to_column;
  part.rows = min(std::int64_t(shape.high), copy.rows - row);
  part.columns = min(std::int64_t(shape.wide), copy.columns - column);
  with_raw(int(copy.item_bytes), [&]<class T>(T) { copy_tile<T>(part, shape, bytes); });
}

}  // namespace onefold::cuda
