// SPDX-License-Identifier: Apache-2.0
// Products and sums of exponentials of whole arrays of floats.

#include "cuda/ordered/log_sum.cuh"
#include "cuda/ordered/ordered.hpp"
#include "cuda/ordered/product.cuh"

namespace onefold::cuda {
namespace {

template <class T>
int launch_products(const full_request& of, chunk_grid grid, std::int64_t* words, void* stream) {
  constexpr unsigned for_each_block = 4;  // these blocks are a quarter of the others
  product_chunks<T>
      <<<grid.blocks * for_each_block, virtual_lanes, 0, static_cast<cudaStream_t>(stream)>>>(
          static_cast<const T*>(of.x), of.n, words);
  return int(cudaGetLastError());
}

template <class T>
int launch_log_sums(const full_request& of, chunk_grid grid, std::int64_t* words, void* stream) {
  log_sum_chunks<T><<<grid.blocks, chunk_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(of.x), of.n, words);
  return int(cudaGetLastError());
}

}  // namespace

ordered_entry product_entry(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> ordered_entry {
    if constexpr (!std::is_integral_v<T>) return {product_lane::words, launch_products<T>};
    return {};
  });
}

ordered_entry log_sum_entry(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> ordered_entry {
    if constexpr (!std::is_integral_v<T>) return {4, launch_log_sums<T>};
    return {};
  });
}

}  // namespace onefold::cuda
