// SPDX-License-Identifier: Apache-2.0
// Elements brought together by key, in device memory of their own.
#pragma once

#include "cuda/device_block.hpp"
#include "cuda/engine.hpp"
#include "cuda/keys/sort.hpp"

namespace onefold::cuda {

class sorted_elements {
 public:
  /// Enqueues the sort and the copies; elements of one key keep their order. It needs some 24 bytes
  /// a key besides copies of keys and elements. Precondition: at least one key, as many contiguous
  /// elements x in device memory, aligned to item_bytes. Fails: throws onefold::error
  /// (out_of_memory; unsupported: more keys than most_sorted_keys).
  sorted_elements(const key_list& keys, const void* x, std::size_t item_bytes,
                  const memory_source& from);

  key_list keys() const noexcept { return keys_; }
  const void* elements() const noexcept { return elements_.data(); }

  /// Enqueues: positions among these elements, `first_index` that of the first one, become those of
  /// the elements before.
  void restore_positions(std::int64_t* positions, std::int64_t count,
                         std::int64_t first_index) const;

 private:
  cudaStream_t stream_;
  device_block workspace_, own_keys_, elements_;
  const std::uint32_t* places_ = nullptr;
  key_list keys_;
};

}  // namespace onefold::cuda
