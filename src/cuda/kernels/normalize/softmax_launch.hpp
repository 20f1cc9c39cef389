// SPDX-License-Identifier: Apache-2.0
// How a grid shares out the rows of softmax and of its backward pass: lanes of a row, rows of a
// block, and where a row is while its sum is found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/normalize/row_launch.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/detail/exponential_sum.hpp"
#include "request/softmax_rows.hpp"
#include "state/softmax.hpp"

namespace onefold::cuda {

/// Lanes of a block at most.
inline constexpr unsigned softmax_lanes = 256;
/// Such blocks of a multiprocessor: 128 registers a lane.
inline constexpr unsigned softmax_blocks = 2;

enum class softmax_way : unsigned char {
  staged,    ///< in shared memory; while results are written, the next row comes there
  streamed,  ///< in memory: read again
};

/// What a whole row has, of which x has a part.
struct softmax_whole {
  detail::softmax_total total;  ///< `sum` is NaN where the row is no numbers'
  std::int64_t words[detail::exponential_sum<float>::words];
};
/// Of the state of logsumexp of a whole row.
softmax_whole whole_of(const state& row);

/// Rows of at most 32 lanes, a power of two, share a block; others have one each, or a cluster,
/// which takes one row after another.
struct softmax_launch {
  softmax_rows rows;
  const softmax_whole* whole = nullptr;  ///< on the device, of each row; null: x has all of it
  softmax_way way = softmax_way::staged;
  unsigned lanes = 1;     ///< of a row: a power of two, or a multiple of 32
  unsigned threads = 32;  ///< of a block
  unsigned cluster = 1;   ///< blocks of a row, a power of two
  unsigned blocks = 1;    ///< of the grid
  int pitch = 0;          ///< vectors from a staged row to the next one in a block

  /// Whether row k is there and is read.
  ONEFOLD_HOST_DEVICE bool reads(std::int64_t k) const { return k < rows.rows; }
  template <class T>
  ONEFOLD_HOST_DEVICE T* results_of(std::int64_t k) const {
    return static_cast<T*>(rows.y) + k * rows.n;
  }
  static constexpr bool keeps_rows = true;
};

/// Rows of a block.
ONEFOLD_HOST_DEVICE constexpr unsigned rows_of_block(const softmax_launch& launch) {
  return launch.lanes > 32 ? 1 : launch.threads / launch.lanes;
}

/// Whether clusters of blocks would hold them better than blocks.
bool suits_clusters(const softmax_rows& rows);
/// clusters: whether the kernel can run in some. Precondition: there is an element.
softmax_launch softmax_launch_of(const softmax_rows& rows, unsigned multiprocessors, bool clusters);

/// Blocks of a cluster that holds a row of a backward pass, at most.
inline constexpr unsigned softmax_gradient_blocks = 8;

/// Rows are those of row_launch, or of clusters, which hold longer ones.
struct softmax_gradient_launch : row_launch {
  softmax_gradients rows;
  unsigned cluster;  ///< blocks of a row, a power of two; across: of all of them
};

/// Whether clusters would hold the rows, and blocks do not.
bool suits_clusters(const softmax_gradients& rows);
/// clusters: whether the kernel can run in some. Precondition: there is an element.
softmax_gradient_launch softmax_gradient_launch_of(const softmax_gradients& rows, bool clusters);

}  // namespace onefold::cuda
