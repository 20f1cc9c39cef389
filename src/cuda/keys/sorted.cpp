// SPDX-License-Identifier: Apache-2.0
#include "cuda/keys/sorted.hpp"

#include "cuda/device.hpp"

namespace onefold::cuda {
namespace {

constexpr const char* purpose = "device memory to sort keys by";
constexpr const char* instead = "sort keys and values by key first";

void check_launch(int code) {
  check(cudaError_t(code), "launching a kernel");
}

std::size_t workspace_bytes(const key_list& keys) {
  if (keys.n > most_sorted_keys)
    throw error(status(status_code::unsupported,
                       "the CUDA engine does not sort more than 2^32 keys; sort keys and values by "
                       "key first, or use executor::cpu"));
  std::size_t bytes = 0;
  check(cudaError_t(ask_key_sort(keys, bytes)), "asking what a sort of keys needs");
  return bytes;
}

}  // namespace

sorted_elements::sorted_elements(const key_list& keys, const void* x, std::size_t item_bytes,
                                 const memory_source& from)
    : stream_(from.stream), workspace_(from, workspace_bytes(keys), purpose, instead),
      own_keys_(from, std::size_t(keys.n) * keys.kind.bytes, purpose, instead),
      elements_(from, std::size_t(keys.n) * item_bytes, purpose, instead), keys_{own_keys_.data(),
                                                                                 keys.n,
                                                                                 keys.kind} {
  check_launch(launch_key_sort(keys, workspace_.data(), workspace_.bytes(), places_, stream_));
  check_launch(
      launch_gather(keys.keys, keys.kind.bytes, places_, keys.n, own_keys_.data(), stream_));
  check_launch(launch_gather(x, item_bytes, places_, keys.n, elements_.data(), stream_));
}

void sorted_elements::restore_positions(std::int64_t* positions, std::int64_t count,
                                        std::int64_t first_index) const {
  check_launch(launch_own_places(positions, count, places_, first_index, stream_));
}

}  // namespace onefold::cuda
