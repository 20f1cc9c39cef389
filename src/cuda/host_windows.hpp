// SPDX-License-Identifier: Apache-2.0
// Data of the host, window by window through a device.
#pragma once

#include <span>

#include "cuda/engine.hpp"
#include "cuda/operands.hpp"

namespace onefold::cuda {

/// While one window is reduced, the next is copied: each of two slots has its stream, its buffers
/// and its words. The states take the windows in order. All memory is there before the first
/// element is read: where there is too little, windows are halved down to the least, and go through
/// one slot at last. Precondition: the device is the thread's, the elements are contiguous in host
/// memory. Fails: throws onefold::error (out_of_memory: not even that fits; also cancelled).
void accumulate_windows(const executor::cuda& on, const request& of, const where& at,
                        std::span<const target> into);

}  // namespace onefold::cuda
