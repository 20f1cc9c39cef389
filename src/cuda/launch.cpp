// SPDX-License-Identifier: Apache-2.0
#include "cuda/launch.hpp"

#include <variant>

#include <driver_types.h>

#include "cuda/full.hpp"
#include "state/states.hpp"

namespace onefold::cuda {
namespace {

bool is_exact(family of) {
  return of <= family::moments;
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
    return is_exact(of) ? exact_workspace_bytes(of, input) : 0;
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
    return is_exact(of) && exact_full_serves(of, input);
  }
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
    return is_exact(of.of) ? launch_exact_full(of, grid, workspace, words, stream)
                           : int(cudaErrorInvalidValue);
  }
}

}  // namespace onefold::cuda
