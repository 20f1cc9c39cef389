// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/columns.hpp"

#include <algorithm>
#include <bit>

#include "cuda/segments/entry.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t lanes_of_a_multiprocessor = 1024;
constexpr std::int64_t least_part_rows = 64;
constexpr std::int64_t most_sum_words = 5;

constexpr std::int64_t vector_bytes = 16, slot_vectors = 4, warp_lanes = 32;

// A lane has slots of four vectors.
std::int64_t row_lanes_of(std::int64_t vectors) {
  const auto slots = std::uint64_t((vectors + slot_vectors - 1) / slot_vectors);
  return std::min(std::int64_t(std::bit_ceil(slots)), warp_lanes);
}

// As many as keep the device busy once; with one more some lanes would work twice.
std::int64_t parts_of(const columns_block& of) {
  const std::int64_t lanes = of.multiprocessors * lanes_of_a_multiprocessor;
  const std::int64_t most = std::max<std::int64_t>(of.n / least_part_rows, 1);
  return std::clamp<std::int64_t>(lanes / (of.outer * of.inner), 1, most);
}

}  // namespace

bool warps_take_rows(const columns_block& of, std::size_t width) {
  const std::int64_t bytes = of.n * std::int64_t(width), vectors = bytes / vector_bytes;
  const bool whole = bytes % vector_bytes == 0 &&
                     reinterpret_cast<std::uintptr_t>(of.x) % std::size_t(vector_bytes) == 0;
  const std::int64_t waves = 2;  // with fewer the last one would count
  return of.inner == 1 && whole && vectors >= slot_vectors &&
         of.outer >= waves * of.multiprocessors * lanes_of_a_multiprocessor / row_lanes_of(vectors);
}

std::size_t selected_columns_bytes(const columns_block& block) {
  const std::int64_t parts = block.inner == 1 ? 1 : parts_of(block);
  const std::int64_t sums = parts == 1 ? 0 : block.outer * block.inner * parts;
  return std::size_t(sums * most_sum_words) * sizeof(std::int64_t);
}

int launch_selected_columns(const segments_request& request, const columns_block& block,
                            void* workspace, void* stream) {
  if (block.inner > 1)
    return launch_column_folds(request, block, parts_of(block), workspace, stream);
  const std::int64_t vectors = block.n * std::int64_t(size_bytes(request.input)) / vector_bytes;
  return launch_row_folds(request, block, row_lanes_of(vectors), stream);
}

}  // namespace onefold::cuda
