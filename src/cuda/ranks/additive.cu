// SPDX-License-Identifier: Apache-2.0
#include "cuda/ranks/additive.cuh"

#include <algorithm>

namespace onefold::cuda {
namespace {

constexpr std::int64_t most_blocks = 4096;

unsigned blocks_of(const group_request& of) {
  return unsigned(std::min(of.answers, most_blocks));
}

struct group_writer {
  const group_request& of;
  const std::int64_t* words;
  std::int64_t pieces;
  std::int64_t* groups;
  cudaStream_t stream;

  static int refused() { return int(cudaErrorNotSupported); }
  template <class T, class State>
  int launch() const {
    write_groups<State>
        <<<blocks_of(of), warp_lanes, 0, stream>>>(words, of.answers, pieces, of.signature, groups);
    return int(cudaGetLastError());
  }
};

struct group_rounder {
  const group_request& of;
  const std::int64_t* groups;
  cudaStream_t stream;

  static int refused() { return int(cudaErrorNotSupported); }
  template <class T, class State>
  int launch() const {
    round_groups<T, State>
        <<<blocks_of(of), warp_lanes, 0, stream>>>(groups, of.answers, of.signature, of.finish);
    return int(cudaGetLastError());
  }
};

}  // namespace

int launch_write_groups(const group_request& of, const std::int64_t* words, std::int64_t pieces,
                        std::int64_t* groups, void* stream) {
  return launch_state(of,
                      group_writer{of, words, pieces, groups, static_cast<cudaStream_t>(stream)});
}

int launch_round_groups(const group_request& of, const std::int64_t* groups, void* stream) {
  return launch_state(of, group_rounder{of, groups, static_cast<cudaStream_t>(stream)});
}

}  // namespace onefold::cuda
