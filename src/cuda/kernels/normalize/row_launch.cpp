// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/row_launch.hpp"

#include <algorithm>
#include <bit>

namespace onefold::cuda {
namespace {

constexpr unsigned warp = 32, block_of_short_rows = 128, lanes_of_long_rows = 256;
// Rows of elements with fewer are a warp's.
constexpr std::int64_t long_row = 1024;

std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

// Lanes that hold so many vectors.
unsigned lanes_of(std::int64_t vectors) {
  const auto lanes = unsigned((vectors + row_vectors - 1) / row_vectors);
  return lanes <= warp ? std::bit_ceil(std::max(lanes, 1u)) : (lanes + warp - 1) / warp * warp;
}

}  // namespace

row_launch row_launch_of(bool aligned, std::int64_t rows, std::int64_t n, std::int64_t stride,
                         dtype type) {
  row_launch made = {row_way::elements, warp, block_of_short_rows, 1, 1};
  const auto item = std::int64_t(size_bytes(type));
  const std::int64_t vectors = n * item / 16;
  if (!aligned || n * item % 16 != 0 || stride * item % 16 != 0) {
    made.lanes = n > long_row
                     ? lanes_of_long_rows
                     : unsigned(std::bit_ceil(std::uint64_t(std::clamp<std::int64_t>(n, 1, warp))));
  } else if (vectors <= std::int64_t(row_vectors) * row_lanes) {
    made.way = row_way::held;
    made.lanes = lanes_of(vectors);
  } else {
    made.way = row_way::streamed;
    made.lanes = lanes_of_long_rows;
  }
  if (made.lanes > warp) made.threads = made.lanes;
  const std::int64_t blocks = quotient(rows, made.threads / made.lanes);
  made.across = unsigned(std::min<std::int64_t>(blocks, 0x7FFFFFFF));
  made.down = unsigned(quotient(blocks, made.across));
  return made;
}

}  // namespace onefold::cuda
