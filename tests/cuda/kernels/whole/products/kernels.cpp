// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/kernels/whole/products/product.cuh"
#include "cuda/kernels/whole/products/product_integers.cuh"

namespace onefold::test {
namespace {

template <class T>
void launch_products(simt::executor& gpu, simt::launch_config config, const void* x, std::int64_t n,
                     std::int64_t* parts) {
  config.block = {cuda::virtual_lanes};
  simt::launch(gpu, config, [=] { cuda::product_chunks<T>(static_cast<const T*>(x), n, parts); });
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

template <class T, int Most = -1>
ordered_kernel integer_kernel(onefold::accumulator kind) {
  if (kind == onefold::accumulator::product)
    return {launch_integer_products<T, Most>, cuda::integer_product::words};
  return {};
}

template <class T>
ordered_kernel floating_kernel(onefold::accumulator kind) {
  if (kind == onefold::accumulator::product) return {launch_products<T>, cuda::product_lane::words};
  return {};
}

}  // namespace

ordered_kernel ordered_kernel_of(onefold::accumulator kind, dtype input) {
  return with_type(input, [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_same_v<T, bool>)
      return integer_kernel<std::uint8_t, 1>(kind);
    else if constexpr (std::is_integral_v<T>)
      return integer_kernel<T>(kind);
    else
      return floating_kernel<T>(kind);
  });
}

}  // namespace onefold::test
