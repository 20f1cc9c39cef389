// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/transpose/any.cuh"
#include "cuda/transpose/narrow.cuh"
#include "cuda/transpose/tiles.cuh"

namespace onefold::cuda::test {
namespace {

template <int Item>
void start(simt::executor& gpu, const transpose_launch& of, simt::schedule order) {
  const matrix_copy copy = of.copy;
  const turn_grid turns = of.turns;
  const any_tile tiles = of.tiles;
  const narrow_slab slab = of.slab;
  const auto with = [&](unsigned threads, std::size_t shared = 0) {
    return simt::launch_config{
        .grid = {of.blocks}, .block = {threads}, .dynamic_shared_bytes = shared, .order = order};
  };
  if (of.way == transpose_way::vectors)
    simt::launch(gpu, with(turn_shape<Item, true>::threads, turn_shape<Item, true>::bytes),
                 [=] { turn_matrix<Item, true>(copy, turns); });
  else if (of.way == transpose_way::words)
    simt::launch(gpu, with(turn_shape<Item, false>::threads, turn_shape<Item, false>::bytes),
                 [=] { turn_matrix<Item, false>(copy, turns); });
  else if (of.way == transpose_way::gather)
    simt::launch(gpu, with(narrow_threads, slab.shared_bytes),
                 [=] { copy_narrow<Item, true>(copy, slab); });
  else if (of.way == transpose_way::scatter)
    simt::launch(gpu, with(narrow_threads, slab.shared_bytes),
                 [=] { copy_narrow<Item, false>(copy, slab); });
  else
    simt::launch(gpu, with(any_threads), [=] { copy_any(copy, tiles); });
}

}  // namespace

void launch_transpose(simt::executor& gpu, const transpose_launch& of, simt::schedule order) {
  switch (of.copy.item_bytes) {
  case 1:
    return start<1>(gpu, of, order);
  case 2:
    return start<2>(gpu, of, order);
  case 4:
    return start<4>(gpu, of, order);
  default:
    return start<8>(gpu, of, order);
  }
}

}  // namespace onefold::cuda::test
