// SPDX-License-Identifier: Apache-2.0
// Exact reductions over the ranks of an NCCL communicator, on a stream. A build without CUDA has
// the same functions (none.cpp).
#pragma once

#include <cstddef>
#include <span>

#include "cuda/plan/request.hpp"
#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"

struct ncclComm;

namespace onefold::cuda {

/// Enqueues the reduction of this rank's elements, the exchange of the states and the rounding.
/// Fails: unsupported (no CUDA, no NCCL; what is not
/// served), mismatch (the communicator's device is another), usage, out_of_memory, device_error,
/// cancelled.
status all_reduce(const executor::cuda& on, const request& request,
                  std::span<const output_view> outputs, ncclComm* comm);

/// The bytes of options::workspace that all_reduce needs. Fails: unsupported.
result<std::size_t> all_reduce_bytes(const executor::cuda& on, const request& request,
                                     std::span<const output_view> outputs, int ranks);

/// Contiguous elements in device memory, aligned to their type.
struct element_block {
  void* x = nullptr;
  dtype type = dtype::f32;
  std::int64_t n = 0;
  bool mean = false;  ///< else the sum
};

/// How ranks come to make the same call.
struct element_agreement {
  status own;             ///< what the caller has found wrong with this rank's call
  bool is_known = false;  ///< else they compare their calls first, for which the host waits
};

/// Replaces each element, a float, by the answer over all ranks, in place. `workspace`: where the
/// shares of the other ranks are received, at least least_element_bytes a rank; the more, the
/// longer the messages. Empty: the engine's own. Fails: as all_reduce; on all ranks the same where
/// they compare: a rank's own failure, mismatch.
status all_reduce_elements(const executor::cuda& on, const element_block& block, ncclComm* comm,
                           const device_buffer& workspace, const element_agreement& agreement);

inline constexpr std::size_t least_element_bytes = 4096;

}  // namespace onefold::cuda
