// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/exponentials/class_launch.hpp"

#include <bit>

namespace onefold::cuda {
namespace {

/// Vectors that a lane of the backward pass has at least, where rows are long enough, and about
/// that it has where there are many rows.
constexpr std::int64_t least_vectors = 4, usual_vectors = 16;
/// Blocks of a multiprocessor from which on there are many.
constexpr std::int64_t many_blocks = 8 * class_gradient_blocks;

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
  return {softmax_launch_of(rows_read(rows), multiprocessors, clusters), rows};
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
                     usual = quotient(vectors, usual_vectors * made.lanes),
                     wanted = quotient(many_blocks * std::max(multiprocessors, 1u), made.across);
  made.down = unsigned(std::min<std::int64_t>({std::max(usual, wanted), most, most_parts}));
  made.part = quotient(vectors, made.down);
  return made;
}

}  // namespace onefold::cuda
