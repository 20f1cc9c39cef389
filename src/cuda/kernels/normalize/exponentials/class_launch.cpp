// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/exponentials/class_launch.hpp"

#include <bit>

namespace onefold::cuda {
namespace {

/// Blocks of a cluster up to which a staged row is faster than a streamed one, and of a streamed
/// row; rows of a grid.
constexpr unsigned most_staged_blocks = 2, most_blocks_of_row = 8;
constexpr std::int64_t most_rows = std::int64_t(1) << 27;

/// Vectors that a lane of the backward pass has at least, where rows are long enough.
constexpr std::int64_t least_vectors = 4;
/// Blocks for a multiprocessor, where rows are parted for them. Before its first vector a block
/// loads numbers of its row and divides.
constexpr std::int64_t wanted_blocks = 2 * class_gradient_blocks;
/// Blocks of the second axis of a grid.
constexpr std::int64_t most_parts = 65535;

std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

}  // namespace

softmax_rows rows_read(const class_rows& rows) {
  return {rows.x, nullptr, rows.rows, rows.n, rows.stride, rows.type, true};
}

loss_launch loss_launch_of(const class_losses& rows, unsigned multiprocessors, bool clusters) {
  loss_launch made = {softmax_launch_of(rows_read(rows), multiprocessors, clusters), rows};
  if (made.way == softmax_way::staged && made.cluster <= most_staged_blocks) return made;
  made.way = softmax_way::streamed, made.pitch = 0, made.cluster = 1;
  const std::int64_t wanted = std::int64_t(multiprocessors) * loss_blocks(made.way);
  while (clusters && made.cluster < most_blocks_of_row && rows.rows * made.cluster < wanted)
    made.cluster *= 2;
  made.threads = softmax_lanes, made.lanes = made.cluster * softmax_lanes;
  made.blocks = unsigned(std::min<std::int64_t>(rows.rows, most_rows)) * made.cluster;
  return made;
}

class_gradient_launch class_gradient_launch_of(const class_gradients& rows,
                                               unsigned multiprocessors) {
  // Of 16 aligned bytes in which a row lies, at most.
  const auto item = std::int64_t(size_bytes(rows.type));
  const std::int64_t vectors = quotient(rows.n * item + 16 - item, 16);
  class_gradient_launch made = {rows, 0, 0, 0, 0};
  made.lanes = unsigned(std::bit_ceil(std::uint64_t(
      std::min<std::int64_t>(quotient(vectors, least_vectors), class_gradient_lanes))));
  made.across = unsigned(quotient(rows.rows, class_gradient_lanes / made.lanes));
  const std::int64_t most = quotient(vectors, least_vectors * made.lanes),
                     wanted = quotient(wanted_blocks * std::max(multiprocessors, 1u), made.across);
  made.down = unsigned(std::min<std::int64_t>({wanted, most, most_parts}));
  made.part = quotient(vectors, made.down);
  return made;
}

unsigned loss_sum_blocks(std::int64_t rows, unsigned multiprocessors) {
  return unsigned(std::clamp<std::int64_t>(quotient(rows, rows_of_loss_block), 1,
                                           std::max(multiprocessors, 1u)));
}

}  // namespace onefold::cuda
