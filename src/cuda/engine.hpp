// SPDX-License-Identifier: Apache-2.0
// The interface of the CUDA engine: the elements of a request to states or to answers. A build
// without CUDA has the same functions (none.cpp), which return "unsupported".
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "cuda/kernels/keys/reduce_by_key.hpp"
#include "cuda/kernels/segments/reduce_segments.hpp"
#include "cuda/plan/request.hpp"
#include "cuda/plan/states.hpp"
#include "cuda/runtime/devices.hpp"
#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"

namespace onefold::cuda {

/// Adds the elements of a plan that reduces all axes to the states. Contiguous elements take one
/// launch for each accumulator; host memory is read once, in windows that are copied while the
/// previous window is reduced. Other elements: as reduce_each. Returns when the states are
/// complete. Precondition, for trees: the thread is inside a float_environment; the trees hold
/// whole chunks. Fails: unsupported (no CUDA in this build, no device, or a request that the engine
/// does not support), mismatch (data of another device, or of two memories), out_of_memory,
/// device_error, cancelled.
status accumulate(const executor::cuda& on, const request& request, std::span<const target> into);

/// Reduces every answer of a plan and passes their states to `take`, batch by batch. Host data are
/// copied to the device at once, from the first to the last byte that the views span. Fails: as
/// accumulate, as `take`, and out_of_memory where the data do not fit.
status reduce_each(const executor::cuda& on, const request& request,
                   const std::function<status(const answer_words&)>& take);

/// Computes the answers asynchronously on the device: enqueues the launches on the executor's
/// stream and returns without waiting. Returns nothing, and does nothing, where the request needs
/// the host (plan/reasons.cpp has the reasons). Fails: unsupported (such a request while the stream
/// is captured, or with options::count), usage (a workspace that is too small), out_of_memory,
/// device_error, cancelled.
std::optional<status> reduce_asynchronously(const executor::cuda& on, const request& request,
                                            std::span<const output_view> outputs);

/// The bytes of options::workspace that reduce_asynchronously needs. Fails: unsupported, with the
/// reason.
result<std::size_t> asynchronous_workspace_bytes(const executor::cuda& on, const request& request,
                                                 std::span<const output_view> outputs);

/// Zeroes the buffer on the executor's stream. Fails: usage, device_error.
status clear_workspace(const executor::cuda& on, void* buffer, std::size_t bytes);

}  // namespace onefold::cuda
