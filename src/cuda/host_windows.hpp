// SPDX-License-Identifier: Apache-2.0
// Data of the host, window by window through a device.
#pragma once

#include <span>

#include "cuda/device.hpp"
#include "cuda/engine.hpp"

namespace onefold::cuda {

/// While one window is reduced, the next is copied: each of two slots has its stream, its buffers
/// and its words. The states take the windows in order. Precondition: the device is the thread's,
/// the elements are contiguous in host memory. Fails: throws onefold::error (also cancelled).
void accumulate_windows(const request& of, int device, bool pinned, std::span<const target> into);

}  // namespace onefold::cuda
