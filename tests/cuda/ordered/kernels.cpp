// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/ordered/integers.cuh"
#include "cuda/ordered/log_sum.cuh"
#include "cuda/ordered/log_sum_trees.cuh"
#include "cuda/ordered/log_sum_windows.cuh"
#include "cuda/ordered/product.cuh"

namespace onefold::test {
namespace {

template <class T>
void launch_products(simt::executor& gpu, simt::launch_config config, const void* x, std::int64_t n,
                     std::int64_t* parts) {
  config.block = {cuda::virtual_lanes};
  simt::launch(gpu, config, [=] { cuda::product_chunks<T>(static_cast<const T*>(x), n, parts); });
}

template <class T>
void launch_log_sums(simt::executor& gpu, simt::launch_config config, const void* x, std::int64_t n,
                     std::int64_t* parts) {
  // Of narrow floats chunks may be read once, by blocks that leave some of them.
  const bool windows = sizeof(T) < 8 && n % 3 != 0;
  if constexpr (sizeof(T) < 8) {
    config.block = {cuda::window_threads};
    if (windows)
      simt::launch(gpu, config,
                   [=] { cuda::log_sum_windows<T>(static_cast<const T*>(x), n, parts); });
  }
  // One block can hold a chunk of 16 bits.
  const bool aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  const bool held = sizeof(T) == 2 && n % 4 != 0;
  const cuda::row_ring_shape shape = {held ? cuda::least_stages<T>(1) : 0,
                                      cuda::row_stage_vectors + !aligned};
  config.block = {held ? cuda::log_sum_threads : cuda::chunk_threads};
  config.dynamic_shared_bytes =
      held ? std::size_t(cuda::log_sum_bytes(1, shape)) : sizeof(cuda::twice_read_memory<T>);
  simt::launch(gpu, config, [=] {
    cuda::log_sum_chunks<T>(static_cast<const T*>(x), n, parts, shape, windows);
  });
}

template <class T>
constexpr auto sign_bit = std::make_unsigned_t<T>(std::is_signed_v<T>
                                                      ? std::uint64_t(1) << (sizeof(T) * 8 - 1)
                                                      : 0);

template <class T, int Most>
void launch_integer_products(simt::executor& gpu, simt::launch_config config, const void* x,
                             std::int64_t n, std::int64_t* parts) {
  using bits = std::make_unsigned_t<T>;
  config.block = {cuda::chunk_threads};
  simt::launch(gpu, config, [=] {
    cuda::integer_product_chunks<bits>(static_cast<const bits*>(x), n, bits(Most), sign_bit<T>,
                                       parts);
  });
}

template <class T, int Most>
void launch_integer_log_sums(simt::executor& gpu, simt::launch_config config, const void* x,
                             std::int64_t n, std::int64_t* parts) {
  using bits = std::make_unsigned_t<T>;
  config.block = {cuda::chunk_threads};
  simt::launch(gpu, config, [=] {
    cuda::integer_log_sum_chunks<bits>(static_cast<const bits*>(x), n, {bits(Most), sign_bit<T>},
                                       parts);
  });
}

template <class T, int Most = -1>
ordered_kernel integer_kernel(onefold::accumulator of) {
  if (of == onefold::accumulator::product)
    return {launch_integer_products<T, Most>, cuda::integer_product::words};
  if (of == onefold::accumulator::log_sum) return {launch_integer_log_sums<T, Most>, 4};
  return {};
}

template <class T>
ordered_kernel floating_kernel(onefold::accumulator of) {
  if (of == onefold::accumulator::product) return {launch_products<T>, cuda::product_lane::words};
  if (of == onefold::accumulator::log_sum) return {launch_log_sums<T>, 4};
  return {};
}

}  // namespace

ordered_kernel ordered_kernel_of(onefold::accumulator of, dtype input) {
  return with_type(input, [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_same_v<T, bool>)
      return integer_kernel<std::uint8_t, 1>(of);
    else if constexpr (std::is_integral_v<T>)
      return integer_kernel<T>(of);
    else
      return floating_kernel<T>(of);
  });
}

void launch_log_sum_trees(simt::executor& gpu, simt::schedule order, const std::int64_t* words,
                          std::int64_t n, std::int64_t* to, unsigned* ticket,
                          const cuda::finish_list& list) {
  const std::int64_t items = cuda::device_tree_chunks * tuning::chunk_items;
  const auto blocks = unsigned((n + items - 1) / items);
  simt::launch(gpu, {.grid = {std::max(blocks, 1u)}, .block = {cuda::warp_lanes}, .order = order},
               [=] { cuda::log_sum_trees(words, n, to, ticket, list); });
}

}  // namespace onefold::test
