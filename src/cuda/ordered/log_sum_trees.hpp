// SPDX-License-Identifier: Apache-2.0
// Sums of exponentials of chunks, merged on the device.
#pragma once

#include <cstdint>

namespace onefold::cuda {

/// Chunks of a complete subtree that the device merges.
inline constexpr std::int64_t device_tree_chunks = 64;

/// Enqueues a kernel that merges the chunks of n > 0 elements, of whose words (4 each) it makes the
/// serialized states of whole subtrees, followed by the words of the other chunks. Returns a
/// cudaError_t as int.
int launch_log_sum_trees(const std::int64_t* words, std::int64_t n, std::int64_t* to, void* stream);

}  // namespace onefold::cuda
