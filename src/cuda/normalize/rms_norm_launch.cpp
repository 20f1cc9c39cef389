// SPDX-License-Identifier: Apache-2.0
// The choice of a kernel for RMSNorm, and of the lanes of a row.
#include <algorithm>
#include <bit>

#include "cuda/normalize/rms_norm.hpp"

namespace onefold::cuda {
namespace {

constexpr unsigned warp = 32, block_of_short_rows = 128, lanes_of_long_rows = 256;
// Rows of elements with fewer are a warp's.
constexpr std::int64_t long_row = 1024;

std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

bool has_vectors(const rms_norm_rows& of) {
  const auto item = std::int64_t(size_bytes(of.type));
  return is_aligned(of.x) && is_aligned(of.y) && is_aligned(of.weight) && of.n * item % 16 == 0 &&
         of.stride * item % 16 == 0;
}

// Lanes that hold so many vectors.
unsigned lanes_of(std::int64_t vectors) {
  const auto lanes = unsigned((vectors + rms_norm_vectors - 1) / rms_norm_vectors);
  return lanes <= warp ? std::bit_ceil(std::max(lanes, 1u)) : (lanes + warp - 1) / warp * warp;
}

}  // namespace

rms_norm_launch rms_norm_launch_of(const rms_norm_rows& of) {
  rms_norm_launch made = {of, rms_norm_way::elements, warp, block_of_short_rows, 1, 1};
  const std::int64_t vectors = of.n * std::int64_t(size_bytes(of.type)) / 16;
  if (!has_vectors(of)) {
    made.lanes =
        of.n > long_row
            ? lanes_of_long_rows
            : unsigned(std::bit_ceil(std::uint64_t(std::clamp<std::int64_t>(of.n, 1, warp))));
  } else if (vectors <= std::int64_t(rms_norm_vectors) * rms_norm_lanes) {
    made.way = rms_norm_way::held;
    made.lanes = lanes_of(vectors);
  } else {
    made.way = rms_norm_way::streamed;
    made.lanes = lanes_of_long_rows;
  }
  if (made.lanes > warp) made.threads = made.lanes;
  const std::int64_t blocks = quotient(of.rows, made.threads / made.lanes);
  made.across = unsigned(std::min<std::int64_t>(blocks, 0x7FFFFFFF));
  made.down = unsigned(quotient(blocks, made.across));
  return made;
}

}  // namespace onefold::cuda
