// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/softmax_launch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <variant>

#include "cuda/primitives/grids.hpp"
#include "onefold/state.hpp"

namespace onefold::cuda {
namespace {

constexpr unsigned warp = 32, block_of_short_rows = 128;
/// Elements that a lane of a staged row has, about: with more of them a row costs less, with fewer
/// ones more warps fit into shared memory.
constexpr std::int64_t lane_elements = 64;
/// Lanes that write 64 bytes side by side.
constexpr unsigned least_lanes = 4;
/// Of a block's part of a row, in clusters of up to 8: three blocks share a multiprocessor; two.
constexpr std::int64_t usual_part = 72 * 1024 / 16, most_part = 104 * 1024 / 16;
constexpr unsigned most_blocks = 8;
/// Of a multiprocessor.
constexpr unsigned shared_bytes = 227 * 1024;

std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

unsigned lanes_of(std::int64_t vectors, std::int64_t items) {
  const std::int64_t lanes = quotient(vectors * items, lane_elements);
  if (lanes > warp)
    return unsigned(std::min<std::int64_t>(quotient(lanes, warp) * warp, softmax_lanes));
  const auto least = unsigned(std::min<std::int64_t>(vectors, least_lanes));
  return std::bit_ceil(std::max(unsigned(lanes), least));
}

// From row to row, so that neighbouring groups of lanes read from different banks.
int pitch_of(std::int64_t vectors, unsigned lanes) {
  constexpr unsigned banks = 8;  // of 16 bytes
  while (lanes < banks && vectors % banks != lanes) ++vectors;
  return int(vectors);
}

// Vectors of 16 aligned bytes in which a row lies, at most.
std::int64_t vectors_of(const softmax_rows& rows) {
  const auto item = std::int64_t(size_bytes(rows.type));
  const bool whole = reinterpret_cast<std::uintptr_t>(rows.x) % 16 == 0 &&
                     (rows.rows == 1 || rows.stride * item % 16 == 0);
  return whole ? quotient(rows.n * item, 16) : quotient(rows.n * item + 16 - item, 16);
}

// Whether whole vectors of y, g and dx are the same elements of each row.
bool have_same_vectors(const softmax_gradients& rows) {
  const auto item = std::int64_t(size_bytes(rows.type));
  const auto place = [](const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % 16;
  };
  return place(rows.y) == place(rows.g) && place(rows.y) == place(rows.dx) &&
         (rows.rows == 1 ||
          ((rows.stride - rows.n) * item % 16 == 0 && (rows.g_stride - rows.n) * item % 16 == 0));
}

row_launch rows_of(const softmax_gradients& rows) {
  if (!have_same_vectors(rows)) return row_launch_of(false, rows.rows, rows.n, 0, rows.type);
  const std::int64_t items = 16 / std::int64_t(size_bytes(rows.type));
  std::int64_t n = rows.n / items * items;
  // Elements that are in no vector, fewer than two, are shared out too.
  constexpr std::int64_t least = 8;
  if (n < rows.n) n = std::max(n, least * row_vectors * items);
  return row_launch_of(true, rows.rows, n, 0, rows.type);
}
// Of a row, at most.
std::int64_t whole_vectors(const softmax_gradients& rows) {
  return rows.n * std::int64_t(size_bytes(rows.type)) / 16;
}
/// Vectors of a row that a block holds.
constexpr std::int64_t held_vectors = std::int64_t(row_vectors) * row_lanes;

}  // namespace

softmax_whole whole_of(const state& row) {
  const auto& state = std::get<detail::exponential_sum<float>>(detail::state_access::known(row));
  softmax_whole made = {{state.band(), NAN}, {}};
  if (std::isfinite(state.value())) made.total.sum = detail::softmax_rounded(state.sum().high);
  state.for_each_word([at = made.words](std::int64_t word) mutable { *at++ = word; });
  return made;
}

bool suits_clusters(const softmax_rows& rows) {
  return vectors_of(rows) > usual_part;
}

softmax_launch softmax_launch_of(const softmax_rows& given_rows, unsigned multiprocessors,
                                 bool clusters) {
  softmax_launch made;
  made.rows = given_rows;
  const std::int64_t vectors = vectors_of(given_rows);
  while (clusters && made.cluster < most_blocks && vectors > usual_part * made.cluster)
    made.cluster *= 2;
  if (vectors > most_part * made.cluster) made.cluster = 1, made.way = softmax_way::streamed;
  const std::int64_t part = quotient(vectors, made.cluster);
  const unsigned lanes = lanes_of(part, 16 / std::int64_t(size_bytes(given_rows.type)));
  made.lanes = made.cluster * lanes;
  made.threads = lanes > warp ? lanes : block_of_short_rows;
  if (made.way == softmax_way::staged) made.pitch = pitch_of(quotient(part, lanes) * lanes, lanes);
  const unsigned rows = rows_of_block(made), bytes = rows * unsigned(made.pitch) * 16 + 4096;
  const unsigned each =
      std::min(softmax_blocks * softmax_lanes / made.threads, shared_bytes / bytes);
  const std::int64_t blocks = quotient(given_rows.rows, rows) * made.cluster;
  made.blocks = grid_of_steps(blocks, multiprocessors, int(each), all_steps);
  made.blocks = std::max(made.blocks / made.cluster, 1u) * made.cluster;
  return made;
}

bool suits_clusters(const softmax_gradients& rows) {
  return rows_of(rows).way == row_way::streamed &&
         whole_vectors(rows) <= held_vectors * softmax_gradient_blocks;
}

softmax_gradient_launch softmax_gradient_launch_of(const softmax_gradients& rows, bool clusters) {
  softmax_gradient_launch made = {rows_of(rows), rows, 1};
  if (!clusters || !suits_clusters(rows)) return made;
  const std::int64_t vectors = whole_vectors(rows);
  while (vectors > held_vectors * made.cluster) made.cluster *= 2;
  const std::int64_t part = quotient(vectors, made.cluster * std::int64_t(row_vectors));
  made.way = row_way::held;
  made.threads = unsigned(quotient(part, warp)) * warp;
  made.lanes = made.threads * made.cluster;
  made.across = unsigned(std::min<std::int64_t>(rows.rows, 0x7FFFFFFF / made.cluster));
  made.down = unsigned(quotient(rows.rows, made.across));
  made.across *= made.cluster;
  return made;
}

}  // namespace onefold::cuda
