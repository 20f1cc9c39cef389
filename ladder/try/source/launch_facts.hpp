// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a kernel's text says about its launch: dimensions, and sizes of a block. The other kernels
// of the file do not count.

#include "ladder/try/report/shape.hpp"
#include "ladder/try/source/kernels_in.hpp"

namespace onefold::ladder::learner {

struct launch_facts {
  unsigned dimensions = 1;  ///< of the built-in variables: threadIdx.y makes 2
  unsigned thread_axes =
      0;  ///< that threadIdx or blockDim has: 1 for x, 2 for y, 4 for z, added up
  /// Along which axes the kernel asks for the number of its block, likewise. All of them where an
  /// included file of the learner's, a macro or a group may ask, or the kernel asks how many blocks
  /// there are.
  unsigned block_axes = 0;
  bool asks_block_size = false;   ///< by blockDim or by a group
  bool asks_grid_size = false;    ///< by gridDim
  bool strides_by_grid = false;   ///< by a multiple of gridDim.x: any number of blocks is enough
  unsigned most_lanes = 1024;     ///< of __launch_bounds__
  std::vector<unsigned> arrays;   ///< sizes of shared arrays that a lane may index
  std::vector<try_shape> blocks;  ///< that the text speaks of, the likeliest first
};

launch_facts launch_facts_of(const std::vector<token>& tokens,
                             const std::vector<kernel_source>& kernels,
                             const kernel_source& kernel);

}  // namespace onefold::ladder::learner
