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

whole_entry entry_for(accumulator kind, dtype input, sum_lanes lanes = sum_lanes::usual) {
  switch (kind) {
  case accumulator::extrema:
  case accumulator::counts:
  case accumulator::bits:
    return selection_entry(kind, input);
  case accumulator::exponentials:
    return exponentials_entry(input);
  default:
    return is_floating(input) ? floating_entry(kind, input, lanes) : integer_entry(kind, input);
  }
}

constexpr unsigned quick_blocks_each = 2;  // of a multiprocessor

bool suits_quick(const whole_request& request) {
  const finish_list& list = request.finish;
  if (request.n == 0 || list.size == 0 || list.count != nullptr ||
      list.nan != nan_policy::propagate)
    return false;
  if (request.accumulator == accumulator::exponentials)
    return request.input == dtype::f64 || list.answers[0].type == request.input;
  if (request.accumulator == accumulator::moments && request.n <= list.correction) return false;
  const bool doubles = request.input == dtype::f64;
  return std::all_of(list.answers, list.answers + list.size, [=](const finish_item& item) {
    const bool known =
        item.op == op::var || item.op == op::stddev || item.op == op::norm2 || item.op == op::sumsq;
    return known && is_floating(item.type) && (doubles || item.type != dtype::f64);
  });
}

// The kernel that decides nearly all answers, and the one that takes what it leaves. words: whether
// it has, for scratch memory.
int launch_quickly(const whole_entry& entry, const whole_request& request, grid_shape grid,
                   void* workspace, std::int64_t* words, void* stream) {
  const unsigned blocks = quick_blocks_each * std::max(grid.blocks / entry.blocks_each, 1u);
  if (const int code = entry.launch_quick(request, blocks, workspace, words, stream); code != 0)
    return code;
  whole_request rest = request;
  rest.finish.decided = words;
  return entry.launch(rest, grid, workspace, nullptr, stream);
}

// A vector a thread where there are enough blocks: docs/performance/gpu-arrays.md. Not a window: it
// would be more than some vectors a thread.
grid_shape window_grid(const whole_request& request, unsigned most_blocks) {
  const auto vectors = unsigned((request.n * std::int64_t(size_bytes(request.input)) + 15) / 16);
  if (vectors <= most_window_threads) return {1, std::max((vectors + 31) / 32 * 32, 32u), true};
  unsigned blocks = std::min(4u, most_blocks), threads = most_window_threads / 2;
  while (blocks < most_blocks && blocks * threads < vectors) blocks *= 2;
  if (blocks * threads < vectors) threads = most_window_threads;
  return {blocks, threads, vectors <= blocks * threads * most_window_vectors};
}

}  // namespace

sum_lanes suited_lanes(int float32_per_float64) {
  return float32_per_float64 >= least_ratio ? sum_lanes::float32 : sum_lanes::usual;
}

bool suits_window(const whole_request& request) {
  constexpr std::int64_t most_bytes =
      std::int64_t(16) * most_window_vectors * most_window_threads * most_window_blocks;
  const finish_list& list = request.finish;
  if (request.accumulator != accumulator::total || !is_floating(request.input)) return false;
  if (list.size != 1 || list.count != nullptr || request.n == 0) return false;
  if (request.n > most_bytes / std::int64_t(size_bytes(request.input))) return false;
  const finish_item& answer = list.answers[0];  // as has_plain_sum
  return answer.type == request.input && (answer.op == op::sum || answer.op == op::mean);
}

std::size_t workspace_bytes(accumulator kind, dtype input) {
  return entry_for(kind, input).workspace_bytes;
}

int state_words(accumulator kind, dtype input) {
  return std::visit([]<class Known>(const Known&) { return int(Known::words); },
                    empty_state(kind, input));
}

grid_shape suited_grid(accumulator kind, dtype input, std::int64_t n, unsigned multiprocessors,
                       sum_lanes lanes) {
  const whole_entry entry = entry_for(kind, input, lanes);
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

grid_shape suited_grid(const whole_request& request, unsigned multiprocessors,
                       unsigned window_blocks) {
  if (suits_window(request)) {
    const grid_shape made = window_grid(request, window_blocks);
    if (made.window) return made;
  }
  return suited_grid(request.accumulator, request.input, request.n, multiprocessors, request.lanes);
}

bool needs_memory(const whole_request& request, grid_shape grid) {
  return !grid.window && (grid.blocks > 1 || request.finish.size == 0 ||
                          request.accumulator == accumulator::exponentials);
}

int launch_whole(const whole_request& request, grid_shape grid, void* workspace,
                 std::int64_t* words, void* stream) {
  const whole_entry entry = entry_for(request.accumulator, request.input, request.lanes);
  if (grid.window) return launch_window(request, grid, stream);
  if (entry.launch == nullptr) return int(cudaErrorNotSupported);
  if (grid.blocks > most_grid_blocks) return int(cudaErrorInvalidConfiguration);
  if (entry.launch_quick != nullptr && words != nullptr && suits_quick(request))
    return launch_quickly(entry, request, grid, workspace, words, stream);
  const bool answers = request.finish.size > 0;
  return entry.launch(request, grid, workspace, answers ? nullptr : words, stream);
}

}  // namespace onefold::cuda
