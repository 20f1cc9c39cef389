// SPDX-License-Identifier: Apache-2.0
// Reduces host data on a device, window by window, with double buffering.
#pragma once

#include <span>

#include "cuda/plan/operands.hpp"
#include "cuda/plan/states.hpp"

namespace onefold::cuda {

/// One window is copied while the previous one is reduced: two slots have a stream, buffers and
/// serialized states each. Windows are merged into the states in order. All memory is allocated
/// before the first element is read: where there is too little, windows are halved down to the
/// least size, and at last one slot takes all of them. Precondition: the device is current; the
/// elements are contiguous in host memory. Fails: throws onefold::error (out_of_memory: not even
/// that fits; also cancelled).
void accumulate_windows(const executor::cuda& on, const request& request, const where& at,
                        std::span<const target> into);

}  // namespace onefold::cuda
