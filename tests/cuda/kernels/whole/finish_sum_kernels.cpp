// SPDX-License-Identifier: Apache-2.0
#include "cuda/rounding/epilogue.cuh"
#include "finish_kernels.hpp"
#include "onefold/exact.hpp"

namespace onefold::cuda::test {

bool aggregate_stores_are_seen() {
#if defined(__clang__)
  return false;
#else
  return true;
#endif
}

namespace {

template <int Words, class State>
__global__ void finish_words(const std::int64_t* words, const finish_list list) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  if (threadIdx.x == 0) finish_sums<Words, State>(words, list, shared);
}

template <class State>
void launch(simt::executor& gpu, simt::launch_config config, const std::int64_t* words,
            const finish_list& list) {
  constexpr int listed = State::words;
  config.dynamic_shared_bytes =
      whole_shared_words<listed, State>(config.block.x) * sizeof(std::int64_t);
  simt::launch(gpu, config, [=] { finish_words<listed, State>(words, list); });
}

template <class T>
finish_kernel kernel_of(accumulator kind) {
  switch (kind) {
  case accumulator::total:
  case accumulator::magnitudes:
    return launch<exact_sum<T>>;
  case accumulator::squares:
  case accumulator::products:
    return launch<exact_dot<T>>;
  default:
    return launch<exact_moments<T>>;
  }
}

}  // namespace

finish_kernel sums_finish(accumulator kind, dtype input) {
  switch (input) {
  case dtype::f16:
    return kernel_of<f16>(kind);
  case dtype::bf16:
    return kernel_of<bf16>(kind);
  case dtype::f32:
    return kernel_of<float>(kind);
  case dtype::f64:
    return kernel_of<double>(kind);
  default:
    return kernel_of<std::int64_t>(kind);
  }
}

}  // namespace onefold::cuda::test
