// SPDX-License-Identifier: Apache-2.0
#include "window_kernels.hpp"

#include "cuda/kernels/whole/window_sum.cuh"

namespace onefold::cuda::test {
namespace {

template <class T, unsigned Vectors>
__global__ void window_alone(const T* x, unsigned n, const finish_list list, bool* decided) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  decided[threadIdx.x] =
      answer_by_window<T, Vectors>(x, n, list, reinterpret_cast<std::uint32_t*>(shared));
}

template <accumulator Accumulator, class T>
__global__ void plain_alone(const std::int64_t* words, std::int64_t n, const finish_list list,
                            bool* decided) {
  decided[threadIdx.x] = finish_plain_sum<Accumulator, T>(words, n, list);
}

}  // namespace

void launch_window(simt::executor& gpu, const simt::launch_config& config, const void* x,
                   dtype input, std::int64_t n, const finish_list& list, bool* decided) {
  auto with_shared = config;
  with_floating<int>(input, [&]<class T>(detail::tag<T>) {
    const unsigned threads = config.block.x;
    with_shared.dynamic_shared_bytes =
        exact_shared_words<accumulator::total, T>(threads) * sizeof(std::int64_t);
    const auto* const elements = static_cast<const T*>(x);
    const bool one = n / vector_items<T> <= threads;
    const auto kernel = one ? sum_by_window<T, 1> : sum_by_window<T, 4>;
    const auto alone = one ? window_alone<T, 1> : window_alone<T, 4>;
    if (decided == nullptr)
      simt::launch(gpu, with_shared, [=] { kernel(elements, unsigned(n), list); });
    else
      simt::launch(gpu, with_shared, [=] { alone(elements, unsigned(n), list, decided); });
    return 0;
  });
}

void launch_plain_finish(simt::executor& gpu, accumulator kind, dtype input,
                         const std::int64_t* words, std::int64_t n, const finish_list& list,
                         bool* decided) {
  with_floating<int>(input, [&]<class T>(detail::tag<T>) {
    const auto kernel = kind == accumulator::total        ? plain_alone<accumulator::total, T>
                        : kind == accumulator::magnitudes ? plain_alone<accumulator::magnitudes, T>
                        : kind == accumulator::squares    ? plain_alone<accumulator::squares, T>
                                                          : plain_alone<accumulator::products, T>;
    simt::launch(gpu, {.grid = {1}, .block = {32}}, [=] { kernel(words, n, list, decided); });
    return 0;
  });
}

}  // namespace onefold::cuda::test
