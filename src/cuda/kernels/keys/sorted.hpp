// SPDX-License-Identifier: Apache-2.0
// Elements brought together by key, in device memory of their own.
#pragma once

#include "cuda/kernels/keys/sort.hpp"
#include "cuda/runtime/device_block.hpp"
#include "cuda/runtime/failure.hpp"

namespace onefold::cuda {

/// Fails: throws onefold::error (unsupported: more keys than most_sorted_keys).
inline std::size_t sort_bytes(const key_list& keys) {
  if (keys.n > most_sorted_keys)
    throw error(status(status_code::unsupported,
                       "the CUDA engine does not sort more than 2^32 keys; sort keys and values by "
                       "key first, or use executor::cpu"));
  std::size_t bytes = 0;
  check(cudaError_t(ask_key_sort(keys, bytes)), "asking what a sort of keys needs");
  return bytes;
}

/// Elements of one key keep their order. It needs some 24 bytes a key besides copies of keys and
/// elements.
class sorted_elements {
 public:
  /// Enqueues the sort and the copies. Precondition: at least one key, as many contiguous elements
  /// x in device memory, aligned to item_bytes. Fails: throws onefold::error (out_of_memory; as
  /// sort_bytes).
  sorted_elements(const key_list& keys, const void* x, std::size_t item_bytes,
                  const memory_source& from)
      : stream_(from.stream), workspace_(from, sort_bytes(keys), purpose, instead),
        own_keys_(from, std::size_t(keys.n) * keys.kind.bytes, purpose, instead),
        elements_(from, std::size_t(keys.n) * item_bytes, purpose, instead), keys_{own_keys_.data(),
                                                                                   keys.n,
                                                                                   keys.kind} {
    check_launch(launch_key_sort(keys, workspace_.data(), workspace_.bytes(), places_, stream_));
    check_launch(
        launch_gather(keys.keys, keys.kind.bytes, places_, keys.n, own_keys_.data(), stream_));
    check_launch(launch_gather(x, item_bytes, places_, keys.n, elements_.data(), stream_));
  }

  key_list keys() const noexcept { return keys_; }
  const void* elements() const noexcept { return elements_.data(); }

  /// Enqueues: positions among these elements become those of the elements before, from
  /// `first_index` on.
  void restore_positions(std::int64_t* positions, std::int64_t count,
                         std::int64_t first_index) const {
    check_launch(launch_own_places(positions, count, places_, first_index, stream_));
  }

 private:
  static constexpr const char* purpose = "device memory to sort keys by";
  static constexpr const char* instead = "sort keys and values by key first";

  cudaStream_t stream_;
  device_block workspace_, own_keys_, elements_;
  const std::uint32_t* places_ = nullptr;
  key_list keys_;
};

}  // namespace onefold::cuda
