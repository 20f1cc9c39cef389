// SPDX-License-Identifier: Apache-2.0
#pragma once
// How kernels of whole arrays are started under the executor.

#include "counting_watch.cuh"
#include "cuda/kernels/whole/exact_sums.cuh"

namespace onefold::test {

template <onefold::accumulator Family, class T, cuda::second Second, class Checks, class Lanes>
void launch_exact_whole(simt::executor& device, simt::launch_config config,
                        const whole_arguments& arguments) {
  constexpr int words = cuda::terms<Family, T>::words;
  config.dynamic_shared_bytes =
      cuda::exact_shared_words<Family, T>(config.block.x) * sizeof(std::int64_t);
  const auto* x = static_cast<const T*>(arguments.x);
  const auto* y = static_cast<const T*>(arguments.y);
  auto* workspace = static_cast<cuda::grid_workspace<words>*>(arguments.workspace);
  simt::launch(device, config,
               [=, n = arguments.n, out = arguments.words, counts = arguments.counts,
                list = arguments.finish] {
                 cuda::exact_whole<Family, T, Second, Checks, counting_watch, Lanes>(
                     x, y, n, workspace, out, {counts}, list);
               });
}

template <onefold::accumulator Family, class T, class Checks = cuda::all_checks,
          class Lanes = cuda::usual_lanes>
whole_kernel kernel_of(bool apart = false) {
  using traits = cuda::terms<Family, T, Lanes>;
  constexpr auto near = traits::pairs ? cuda::second::aligned : cuda::second::none;
  constexpr auto far = traits::pairs ? cuda::second::apart : cuda::second::none;
  return {apart ? launch_exact_whole<Family, T, far, Checks, Lanes>
                : launch_exact_whole<Family, T, near, Checks, Lanes>,
          traits::words, sizeof(cuda::grid_workspace<traits::words>),
          cuda::array_parts<traits, T>::tile_items};
}

}  // namespace onefold::test
