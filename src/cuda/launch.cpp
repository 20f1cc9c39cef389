// SPDX-License-Identifier: Apache-2.0
#include "cuda/launch.hpp"

#include <algorithm>
#include <variant>

#include <driver_types.h>

#include "cuda/full.hpp"
#include "cuda/full_entry.hpp"
#include "state/states.hpp"

namespace onefold::cuda {
namespace {

// Blocks are as many as registers let a multiprocessor have: more would come in a second wave that
// does not fill it.
constexpr full_entry extrema_grid = {0, 0, usual_threads, 4};
constexpr full_entry extrema_of_f64_grid = {0, 0, usual_threads, 3};
constexpr full_entry counting_grid = {0, 0, usual_threads, 6};

full_entry entry_for(family of, dtype input) {
  if (of == family::extrema) return input == dtype::f64 ? extrema_of_f64_grid : extrema_grid;
  if (of > family::moments) return counting_grid;
  return is_floating(input) ? floating_entry(of, input) : integer_entry(of, input);
}

}  // namespace

std::size_t workspace_bytes(family of, dtype input) {
  switch (of) {
  case family::extrema:
    return extrema_workspace_bytes();
  case family::tally:
    return tally_workspace_bytes();
  case family::bits:
    return bits_workspace_bytes();
  default:
    return entry_for(of, input).workspace_bytes;
  }
}

int state_words(family of, dtype input) {
  return std::visit([]<class Known>(const Known&) { return int(Known::words); },
                    empty_state(of, input));
}

bool full_serves(family of, dtype input) {
  switch (of) {
  case family::extrema:
  case family::tally:
    return true;
  case family::bits:
    return !is_floating(input);
  default:
    return entry_for(of, input).launch != nullptr;
  }
}

grid_shape suited_grid(family of, dtype input, std::int64_t n, unsigned multiprocessors) {
  const full_entry entry = entry_for(of, input);
  const std::int64_t bytes = n * std::int64_t(size_bytes(input));
  const std::int64_t share = std::int64_t(entry.threads) * 64;  // a tile a warp
  const std::int64_t wanted = bytes / share + (bytes % share != 0);
  const auto most = std::int64_t(entry.blocks_each) * multiprocessors;
  return {unsigned(std::clamp<std::int64_t>(wanted, 1, most)), entry.threads};
}

int launch_full(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                void* stream) {
  switch (of.of) {
  case family::extrema:
    return launch_extrema_full(of, grid, workspace, words, stream);
  case family::tally:
    return launch_tally_full(of, grid, workspace, words, stream);
  case family::bits:
    return launch_bits_full(of, grid, workspace, words, stream);
  default:
    break;
  }
  const full_entry exact = entry_for(of.of, of.input);
  if (exact.launch == nullptr) return int(cudaErrorNotSupported);
  return exact.launch(of, grid, workspace, words, stream);
}

}  // namespace onefold::cuda
