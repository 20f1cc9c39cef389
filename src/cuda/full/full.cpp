// SPDX-License-Identifier: Apache-2.0
#include "cuda/full/full.hpp"

#include <algorithm>
#include <variant>

#include <driver_types.h>

#include "cuda/full/entry.hpp"
#include "state/states.hpp"

namespace onefold::cuda {
namespace {

full_entry entry_for(family of, dtype input) {
  switch (of) {
  case family::extrema:
    return extrema_entry(input);
  case family::tally:
    return tally_entry(input);
  case family::bits:
    return bits_entry(input);
  default:
    return is_floating(input) ? floating_entry(of, input) : integer_entry(of, input);
  }
}

}  // namespace

std::size_t workspace_bytes(family of, dtype input) {
  return entry_for(of, input).workspace_bytes;
}

int state_words(family of, dtype input) {
  return std::visit([]<class Known>(const Known&) { return int(Known::words); },
                    empty_state(of, input));
}

bool full_serves(family of, dtype input) {
  return entry_for(of, input).launch != nullptr;
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
  const full_entry entry = entry_for(of.of, of.input);
  if (entry.launch == nullptr) return int(cudaErrorNotSupported);
  return entry.launch(of, grid, workspace, words, stream);
}

}  // namespace onefold::cuda
