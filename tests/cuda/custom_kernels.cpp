// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/custom_kernels.hpp"

#include "simt/simt.hpp"

#include "onefold/cuda/custom.cuh"

namespace onefold::cuda::test {

template <class R, class T>
custom_cut cut_of(std::int64_t n) {
  const reduce_cut<T> cut(n);
  return {cut.blocks, cut.run, reduce_workspace_bytes<R, T>(n)};
}

template <class R, class T>
void launch_custom(simt::executor& gpu, simt::schedule order, const T* x, std::int64_t n,
                   std::int64_t longer, unsigned char* workspace, R* answer) {
  const reduce_cut<T> cut(n);
  const std::int64_t run = cut.run * longer;
  const unsigned blocks = unsigned((cut.blocks + longer - 1) / longer);
  auto* const ticket = reinterpret_cast<unsigned*>(workspace);
  auto* const partials = reinterpret_cast<R*>(workspace + 16);
  const R identity;
  simt::launch(gpu, {.grid = {blocks}, .block = {reduce_cut<T>::threads}, .order = order}, [=] {
    custom_parts::reduce_runs<R, T>(identity, x, n, run, ticket, partials, answer);
  });
}

template custom_cut cut_of<affine, std::uint32_t>(std::int64_t);
template custom_cut cut_of<longest_run, std::uint8_t>(std::int64_t);
template custom_cut cut_of<centre, point>(std::int64_t);
template custom_cut cut_of<ends, double>(std::int64_t);
template void launch_custom(simt::executor&, simt::schedule, const std::uint32_t*, std::int64_t,
                            std::int64_t, unsigned char*, affine*);
template void launch_custom(simt::executor&, simt::schedule, const std::uint8_t*, std::int64_t,
                            std::int64_t, unsigned char*, longest_run*);
template void launch_custom(simt::executor&, simt::schedule, const point*, std::int64_t,
                            std::int64_t, unsigned char*, centre*);
template void launch_custom(simt::executor&, simt::schedule, const double*, std::int64_t,
                            std::int64_t, unsigned char*, ends*);

}  // namespace onefold::cuda::test
