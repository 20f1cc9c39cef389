// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/whole/whole.hpp"

#include <algorithm>
#include <variant>

#include <driver_types.h>

#include "cuda/kernels/whole/whole_entry.hpp"
#include "cuda/primitives/grids.hpp"
#include "state/states.hpp"

namespace onefold::cuda {
namespace {

// Below it lanes of float64 keep up with the memory, or nearly, counted by their instructions.
// There are devices of 2, 32 and 64.
constexpr int least_ratio = 16;

full_entry entry_for(accumulator of, dtype input, sum_lanes lanes = sum_lanes::usual) {
  switch (of) {
  case accumulator::extrema:
  case accumulator::counts:
  case accumulator::bits:
    return selection_entry(of, input);
  case accumulator::exponentials:
    return exponentials_entry(input);
  default:
    return is_floating(input) ? floating_entry(of, input, lanes) : integer_entry(of, input);
  }
}

// Smaller arrays are done sooner by one launch; exact squares take less than exact moments.
constexpr std::int64_t least_quick_bytes(accumulator of) {
  if (of == accumulator::exponentials) return 1;
  return std::int64_t(1) << (of == accumulator::moments ? 25 : 26);
}
constexpr unsigned quick_blocks_each = 2;  // of a multiprocessor

bool suits_quick(const full_request& of) {
  const finish_list& list = of.finish;
  if (of.n * std::int64_t(size_bytes(of.input)) < least_quick_bytes(of.of)) return false;
  if (list.size == 0 || list.count != nullptr || list.nan != nan_policy::propagate) return false;
  if (of.of == accumulator::exponentials)
    return of.input == dtype::f64 || list.answers[0].type == of.input;
  if (of.of == accumulator::moments && of.n <= list.correction) return false;
  const bool doubles = of.input == dtype::f64;
  return std::all_of(list.answers, list.answers + list.size, [=](const finish_item& asked) {
    const bool known = asked.what == op::var || asked.what == op::stddev ||
                       asked.what == op::norm2 || asked.what == op::sumsq;
    return known && is_floating(asked.type) && (doubles || asked.type != dtype::f64);
  });
}

// The kernel that decides nearly all answers, and the one that takes what it leaves.
int launch_quickly(const full_entry& entry, const full_request& of, grid_shape grid,
                   void* workspace, std::int64_t* words, void* stream) {
  const unsigned blocks = quick_blocks_each * std::max(grid.blocks / entry.blocks_each, 1u);
  if (const int code = entry.launch_quick(of, blocks, workspace, words, stream); code != 0)
    return code;
  full_request rest = of;
  rest.finish.decided = words;
  return entry.launch(rest, grid, workspace, words, stream);
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
  if (entry.launch_quick != nullptr && suits_quick(of))
    return launch_quickly(entry, of, grid, workspace, words, stream);
  return entry.launch(of, grid, workspace, words, stream);
}

}  // namespace onefold::cuda
