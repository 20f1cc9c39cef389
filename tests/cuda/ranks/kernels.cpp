// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/ranks/additive.cuh"

namespace onefold::cuda::test {
namespace {

simt::launch_config config_of(unsigned blocks) {
  return {.grid = {blocks}, .block = {warp_lanes}};
}

struct group_writer {
  simt::executor& gpu;
  const group_request& of;
  const std::int64_t* words;
  std::int64_t pieces;
  std::int64_t* groups;
  unsigned blocks;

  static int refused() { return 1; }
  template <class T, class State>
  int launch() const {
    simt::launch(gpu, config_of(blocks), [x = words, of = of, each = pieces, to = groups] {
      cuda::write_groups<State>(x, of.answers, each, of.signature, to);
    });
    return 0;
  }
};

struct group_rounder {
  simt::executor& gpu;
  const group_request& of;
  const std::int64_t* groups;
  unsigned blocks;

  static int refused() { return 1; }
  template <class T, class State>
  int launch() const {
    simt::launch(gpu, config_of(blocks), [x = groups, of = of] {
      cuda::round_groups<T, State>(x, of.answers, of.signature, of.finish);
    });
    return 0;
  }
};

}  // namespace

bool write_groups(simt::executor& gpu, const group_request& of, const std::int64_t* words,
                  std::int64_t pieces, std::int64_t* groups, unsigned blocks) {
  return launch_state(of, group_writer{gpu, of, words, pieces, groups, blocks}) == 0;
}

bool round_groups(simt::executor& gpu, const group_request& of, const std::int64_t* groups,
                  unsigned blocks) {
  return launch_state(of, group_rounder{gpu, of, groups, blocks}) == 0;
}

}  // namespace onefold::cuda::test
