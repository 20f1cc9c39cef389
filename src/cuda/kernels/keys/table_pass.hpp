// SPDX-License-Identifier: Apache-2.0
// Sums and means by keys in any order, without sorting them.
#pragma once

#include <optional>

#include "cuda/kernels/keys/keys.hpp"
#include "cuda/kernels/keys/reduce_by_key.hpp"
#include "cuda/runtime/device_block.hpp"

namespace onefold::cuda {

/// What calls by key share. The device is the calling thread's current device.
struct key_call {
  const executor::cuda& on;
  int device;
  memory_source from;
  const outputs_maker& make;
};

/// Nothing where a table does not suit: another operator or type, an infinity or a NaN, keys or
/// exponents that spread too far. Then nothing was made. Precondition: contiguous elements in
/// memory of the device. Fails: as reduce_by_key; throws onefold::error.
std::optional<status> reduce_in_table(const key_call& by, const request& request,
                                      const key_list& keys);

}  // namespace onefold::cuda
