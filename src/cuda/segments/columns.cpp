// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/columns.hpp"

#include <algorithm>

#include "cuda/segments/entry.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t lanes_of_a_multiprocessor = 1024;
constexpr std::int64_t least_part_rows = 64;
constexpr std::int64_t most_sum_words = 5;

// As many as keep the device busy once; with one more some lanes would work twice.
std::int64_t parts_of(const columns_block& of) {
  const std::int64_t lanes = of.multiprocessors * lanes_of_a_multiprocessor;
  const std::int64_t most = std::max<std::int64_t>(of.n / least_part_rows, 1);
  return std::clamp<std::int64_t>(lanes / (of.outer * of.inner), 1, most);
}

}  // namespace

std::size_t selected_columns_bytes(const columns_block& block) {
  const std::int64_t parts = parts_of(block);
  const std::int64_t sums = parts == 1 ? 0 : block.outer * block.inner * parts;
  return std::size_t(sums * most_sum_words) * sizeof(std::int64_t);
}

int launch_selected_columns(const segments_request& request, const columns_block& block,
                            void* workspace, void* stream) {
  return launch_column_folds(request, block, parts_of(block), workspace, stream);
}

}  // namespace onefold::cuda
