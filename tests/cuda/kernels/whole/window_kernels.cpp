// SPDX-License-Identifier: Apache-2.0
#define ONEFOLD_SIMT_CLUSTERS

#include "window_kernels.hpp"

#include "cuda/kernels/whole/window_sum.cuh"

namespace onefold::cuda::test {
namespace {

template <class T, unsigned Vectors, bool Cluster>
__global__ void window_alone(const T* x, unsigned n, const finish_list list, bool* decided) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  decided[blockIdx.x * blockDim.x + threadIdx.x] =
      answer_by_window<T, Vectors, Cluster>(x, n, list, reinterpret_cast<std::uint32_t*>(shared));
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
    const unsigned threads = config.block.x, blocks = config.grid.x;
    const bool one = n / vector_items<T> <= blocks * threads, by_block = one && blocks == 1;
    with_shared.cluster = blocks;
    with_shared.dynamic_shared_bytes =
        (by_block ? exact_shared_words<accumulator::total, T>(threads)
                  : cluster_window_words<T>(threads, blocks)) *
        sizeof(std::int64_t);
    const auto* const elements = static_cast<const T*>(x);
    const auto kernel = by_block ? sum_by_window<T>
                        : one    ? sum_by_cluster<T, 1>
                                 : sum_by_cluster<T, most_window_vectors>;
    const auto alone = by_block ? window_alone<T, 1, false>
                       : one    ? window_alone<T, 1, true>
                                : window_alone<T, most_window_vectors, true>;
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
