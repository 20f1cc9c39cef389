// SPDX-License-Identifier: Apache-2.0
#include "cuda/full/full.hpp"

#include <algorithm>
#include <variant>

#include <driver_types.h>

#include "cuda/full/entry.hpp"
#include "cuda/parts/grid_limit.hpp"
#include "state/states.hpp"

namespace onefold::cuda {
namespace {

// Below it lanes of float64 keep up with the memory, or nearly, by the model of
// docs/performance/devices.md. There are devices of 2, 32 and 64.
constexpr int least_ratio = 16;

full_entry entry_for(accumulator of, dtype input, sum_lanes lanes = sum_lanes::usual) {
  switch (of) {
  case accumulator::extrema:
  case accumulator::counts:
  case accumulator::bits:
    return selection_entry(of, input);
  default:
    return is_floating(input) ? floating_entry(of, input, lanes) : integer_entry(of, input);
  }
}

}  // namespace

sum_lanes suited_lanes(int float32_per_float64) {
  return float32_per_float64 >= least_ratio ? sum_lanes::float32 : sum_lanes::usual;
}

std::size_t workspace_bytes(accumulator of, dtype input) {
  return entry_for(of, input).workspace_bytes;
}

int state_words(accumulator of, dtype input) {
  return std::visit([]<class Known>(const Known&) { return int(Known::words); },
                    empty_state(of, input));
}

grid_shape suited_grid(accumulator of, dtype input, std::int64_t n, unsigned multiprocessors,
                       sum_lanes lanes) {
  const full_entry entry = entry_for(of, input, lanes);
  const std::int64_t bytes = n * std::int64_t(size_bytes(input));
  const std::int64_t few_blocks = std::int64_t(64) * multiprocessors / 2;  // a tile a warp
  // Blocks of fewer warps are done sooner, but from half as many blocks as multiprocessors on
  // adding up their words takes longer.
  unsigned threads = entry.threads;
  while (threads > entry.least_threads && bytes <= threads / 2 * few_blocks) threads /= 2;
  const std::int64_t share = std::int64_t(threads) * 64;
  const std::int64_t wanted = bytes / share + (bytes % share != 0);
  const auto most = std::int64_t(entry.blocks_each) * multiprocessors;
  return {unsigned(std::clamp<std::int64_t>(wanted, 1, most)), threads};
}

int launch_full(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                void* stream) {
  const full_entry entry = entry_for(of.of, of.input, of.lanes);
  if (entry.launch == nullptr) return int(cudaErrorNotSupported);
  if (grid.blocks > most_grid_blocks) return int(cudaErrorInvalidConfiguration);
  return entry.launch(of, grid, workspace, words, stream);
}

}  // namespace onefold::cuda
