// SPDX-License-Identifier: Apache-2.0
#include "selection_kernels.hpp"

#include "cuda/kernels/whole/whole_counts.cuh"
#include "cuda/kernels/whole/whole_extrema.cuh"

namespace onefold::cuda::test {
namespace {

template <class Fold>
void launch_fold(simt::executor& gpu, const simt::launch_config& config, dtype input, const void* x,
                 std::int64_t n, void* workspace, std::int64_t* words, const finish_list& list) {
  simt::launch(gpu, config,
               [=] { folds::fold_whole<Fold>(x, kind_of(input), n, workspace, words, list); });
}

template <class Fold>
selection_kernel kernel_of() {
  return {launch_fold<Fold>, folds::workspace_of<Fold>};
}

}  // namespace

selection_kernel selection_kernel_of(accumulator kind, dtype input) {
  return with_type(input, [&]<class T>(detail::tag<T>) -> selection_kernel {
    using raw = folds::bits_of<T>;
    if (kind == accumulator::extrema) return kernel_of<folds::extrema_fold<raw>>();
    if (kind == accumulator::counts) return kernel_of<folds::count_fold<raw>>();
    if (kind == accumulator::bits && std::is_integral_v<T>)
      return kernel_of<folds::bits_fold<raw>>();
    return {};
  });
}

}  // namespace onefold::cuda::test
