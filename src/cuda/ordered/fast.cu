// SPDX-License-Identifier: Apache-2.0
// Fast reductions of whole arrays.

#include "cuda/ordered/fast.cuh"
#include "cuda/ordered/ordered.hpp"

namespace onefold::cuda {
namespace {

template <family Family, class T>
int launch_sums(const full_request& of, unsigned blocks, std::int64_t* words, void* stream) {
  fast_sums<Family, T><<<blocks, chunk_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(of.x), static_cast<const T*>(of.y), of.n, words);
  return int(cudaGetLastError());
}

template <class T>
int launch_moments(const full_request& of, unsigned blocks, std::int64_t* words, void* stream) {
  fast_chunk_moments<T><<<blocks, chunk_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(of.x), of.n, fast_number<T>(of.input == dtype::boolean ? 1 : 255),
      words);
  return int(cudaGetLastError());
}

template <class T>
ordered_entry floating_entry_of(family of) {
  switch (of) {
  case family::total:
    return {1, launch_sums<family::total, T>};
  case family::magnitudes:
    return {1, launch_sums<family::magnitudes, T>};
  case family::squares:
    return {1, launch_sums<family::squares, T>};
  case family::products:
    return {1, launch_sums<family::products, T>};
  default:
    return {};
  }
}

}  // namespace

ordered_entry fast_entry(family of, dtype input) {
  return with_type(input, [&]<class T>(detail::tag<T>) -> ordered_entry {
    if (of == family::moments)
      return {2, launch_moments<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>};
    if constexpr (!std::is_integral_v<T>) return floating_entry_of<T>(of);
    return {};
  });
}

}  // namespace onefold::cuda
