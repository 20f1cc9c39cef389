// SPDX-License-Identifier: Apache-2.0
#include "cuda/rounding/epilogue.cuh"
#include "finish_kernels.hpp"

namespace onefold::cuda::test {
namespace {

template <class T, class State>
__global__ void finish_words(const std::int64_t* words, const finish_list list) {
  if (threadIdx.x == 0) finish_selection<State>(words, kind_of(dtype_of<T>), list);
}

template <class T, class State>
void launch(simt::executor& gpu, simt::launch_config config, const std::int64_t* words,
            const finish_list& list) {
  simt::launch(gpu, config, [=] { finish_words<T, State>(words, list); });
}

}  // namespace

finish_kernel selection_finish(accumulator kind, dtype input) {
  return with_type(input, [&]<class T>(detail::tag<T>) -> finish_kernel {
    if (kind == accumulator::extrema) return launch<T, detail::extrema>;
    if (kind == accumulator::counts) return launch<T, detail::nonzero_counts>;
    if constexpr (std::is_integral_v<T>)
      if (kind == accumulator::bits) return launch<T, detail::bit_fold>;
    return nullptr;
  });
}

}  // namespace onefold::cuda::test
