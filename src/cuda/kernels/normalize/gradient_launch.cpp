// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/gradient_launch.hpp"

#include <algorithm>
#include <bit>

namespace onefold::cuda {
namespace {

constexpr unsigned warp = 32;
/// Of a block of short rows: two or more blocks share a multiprocessor.
constexpr unsigned usual_threads = 256;
/// Blocks of more than 256 threads have a multiprocessor each.
constexpr unsigned usual_blocks = 2;
constexpr unsigned usual_stages = 2;

std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

bool has_vectors(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

bool is_aligned(const rms_norm_gradients& rows) {
  const auto item = std::int64_t(size_bytes(rows.type));
  return has_vectors(rows.x) && has_vectors(rows.g) && has_vectors(rows.dx) &&
         rows.n * item % 16 == 0 && rows.stride * item % 16 == 0 && rows.g_stride * item % 16 == 0;
}

}  // namespace

gradient_launch gradient_launch_of(const rms_norm_gradients& rows, unsigned multiprocessors,
                                   std::size_t shared_bytes) {
  gradient_launch made = {};
  made.rows = rows;
  made.aligned = is_aligned(rows);
  made.stages = made.aligned ? usual_stages : 0;
  const std::size_t item = size_bytes(rows.type);
  const auto fits = [&](unsigned lanes, unsigned threads) {
    return gradient_space(item, lanes, threads, made.stages).bytes() <= shared_bytes;
  };
  unsigned most = gradient_lanes;
  while (most > warp && !fits(most, most)) most /= 2;
  const auto lanes = unsigned(std::min<std::int64_t>(quotient(rows.n, gradient_slots(item)), most));
  made.lanes =
      lanes <= warp ? std::bit_ceil(std::max(lanes, 1u)) : (lanes + warp - 1) / warp * warp;
  made.strips = unsigned(quotient(rows.n, made.width()));
  unsigned threads = std::min(usual_threads, most);
  while (threads > warp && !fits(made.lanes, threads)) threads /= 2;
  const unsigned groups = std::max(threads / made.lanes, 1u);
  made.threads = groups * made.lanes;
  const unsigned blocks = multiprocessors * (made.threads > usual_threads ? 1 : usual_blocks);
  made.blocks = unsigned(
      std::min<std::int64_t>(quotient(rows.rows, groups), std::max(blocks / made.strips, 1u)));
  return made;
}

}  // namespace onefold::cuda
