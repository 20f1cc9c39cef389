// SPDX-License-Identifier: Apache-2.0
// How a grid shares out the rows of cross_entropy, and of its backward pass.
#pragma once

#include <algorithm>

#include "cuda/kernels/normalize/softmax_launch.hpp"
#include "request/class_rows.hpp"

namespace onefold::cuda {

/// Blocks of a multiprocessor: streamed rows need more warps.
ONEFOLD_HOST_DEVICE constexpr unsigned loss_blocks(softmax_way way) {
  return way == softmax_way::staged ? softmax_blocks : 4;
}

/// That of softmax, but nothing is written in the rows' shape. A staged row is replaced by the next
/// one while it is added. Streamed rows have a block each, or, where there are few, a cluster.
struct loss_launch : softmax_launch {
  class_losses classes;

  ONEFOLD_HOST_DEVICE bool reads(std::int64_t k) const {
    return k < rows.rows && classes.has_class(classes.targets[k]);
  }
  template <class T>
  ONEFOLD_HOST_DEVICE T* results_of(std::int64_t) const {
    return nullptr;
  }
  static constexpr bool keeps_rows = false;
};
/// What softmax would read of them.
softmax_rows rows_read(const class_rows& rows);
/// Precondition: there is an element.
loss_launch loss_launch_of(const class_losses& rows, unsigned multiprocessors, bool clusters);

/// Lanes of a block of the backward pass, and such blocks of a multiprocessor.
inline constexpr unsigned class_gradient_lanes = 256, class_gradient_blocks = 6;

/// A row has a power of two of lanes, in blocks of one part of the row each; rows of fewer lanes
/// share a block.
struct class_gradient_launch {
  class_gradients rows;
  std::int64_t part;      ///< vectors of a row in a block
  unsigned lanes;         ///< of a row in a block
  unsigned across, down;  ///< blocks: of the rows, of the parts of a row
};
class_gradient_launch class_gradient_launch_of(const class_gradients& rows,
                                               unsigned multiprocessors);

/// Lanes of a block that adds up losses, and rows from which on it has company.
inline constexpr unsigned loss_sum_lanes = 256;
inline constexpr std::int64_t rows_of_loss_block = 8192;

struct loss_sum_launch {
  loss_sums rows;
  unsigned blocks;
  void* workspace;  ///< zero before and after; null of one block
};
unsigned loss_sum_blocks(std::int64_t rows, unsigned multiprocessors);

}  // namespace onefold::cuda
