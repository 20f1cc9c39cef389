// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/gradient_launch.hpp"

#include <algorithm>
#include <bit>

namespace onefold::cuda {
namespace {

constexpr unsigned warp = 32;
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

bool has_vectors(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

bool is_aligned(const norm_gradients& rows) {
  const auto item = std::int64_t(size_bytes(rows.type));
  return has_vectors(rows.x) && has_vectors(rows.g) && has_vectors(rows.dx) &&
         rows.n * item % 16 == 0 && rows.stride * item % 16 == 0 && rows.g_stride * item % 16 == 0;
}

}  // namespace

gradient_launch gradient_launch_of(const norm_gradients& rows, unsigned multiprocessors,
                                   std::size_t shared_bytes) {
  gradient_launch made = {};
  made.rows = rows;
  made.copies = is_aligned(rows);
  const std::size_t item = size_bytes(rows.type);
  const auto fits = [&](unsigned lanes, unsigned threads) {
    return gradient_space(item, lanes, threads, made.copies, rows.centred).bytes() <= shared_bytes;
  };
  unsigned most = gradient_lanes;
  while (most > warp && !fits(most, most)) most /= 2;
  const auto lanes =
      unsigned(std::min<std::int64_t>(quotient(rows.n, gradient_slots(item, rows.centred)), most));
  made.lanes =
      lanes <= warp ? std::bit_ceil(std::max(lanes, 1u)) : (lanes + warp - 1) / warp * warp;
  made.strips = unsigned(quotient(rows.n, made.width()));
  unsigned threads = most;
  while (threads > warp && !fits(made.lanes, threads)) threads /= 2;
  const unsigned groups = std::max(threads / made.lanes, 1u);
  made.threads = groups * made.lanes;
  // A block of more than half of the lanes has a multiprocessor: the fewer blocks, the fewer sums
  // of columns are joined.
  const unsigned blocks = multiprocessors * std::max(gradient_lanes / made.threads, 1u);
  made.blocks = unsigned(
      std::min<std::int64_t>(quotient(rows.rows, groups), std::max(blocks / made.strips, 1u)));
  return made;
}

}  // namespace onefold::cuda
