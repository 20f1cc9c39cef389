// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/kernels/transpose/any.cuh"
#include "cuda/kernels/transpose/tiles.cuh"

namespace onefold::cuda::test {

void launch_transpose(simt::executor& gpu, const transpose_launch& launch, simt::schedule order) {
  const matrix_copy copy = launch.copy;
  const bool any = !launch.by_tiles(), aligned = launch.way == transpose_way::vectors;
  const turn_block block = turn_block_of(unsigned(copy.item_bytes), aligned);
  const simt::launch_config config = {.grid = {launch.across * launch.down},
                                      .block = {any ? any_threads : block.threads},
                                      .dynamic_shared_bytes =
                                          any ? launch.tile.shared_bytes : block.bytes,
                                      .order = order};
  const unsigned down = launch.down;
  if (any) {
    const auto kernel = any_kernel_of(copy.item_bytes);
    simt::launch(gpu, config, [copy, down, kernel, way = launch.way, tile = launch.tile] {
      kernel(copy, way, tile, down);
    });
    return;
  }
  const auto kernel =
      aligned ? turn_kernel_of<true>(copy.item_bytes) : turn_kernel_of<false>(copy.item_bytes);
  simt::launch(gpu, config, [copy, down, kernel] { kernel(copy, down); });
}

}  // namespace onefold::cuda::test
