// SPDX-License-Identifier: Apache-2.0
// The workspace of asynchronous GPU requests, whose results stay in device memory.
//
//   const executor::cuda gpu = {.stream = stream};
//   const auto bytes = workspace_size(gpu, op::sum, {x}, {answer}, options).value();
//   cudaMalloc(&buffer, bytes);
//   workspace_init(gpu, buffer, bytes);               once
//   options.workspace = {buffer, bytes};
//   reduce(gpu, op::sum, {x}, answer, options);       any number of times, in stream order
#pragma once

#include <cstddef>
#include <initializer_list>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/op_list.hpp"
#include "onefold/options.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// The bytes of options::workspace with which this request allocates nothing. A larger buffer works
/// too, and one buffer serves any requests that follow each other in stream order.
/// Units:  bytes; 0 if none is needed.
/// Fails:  as reduce; unsupported, with the reason, if the device does not compute the request.
ONEFOLD_API result<std::size_t> workspace_size(const executor& executor, const op_list& ops,
                                               std::initializer_list<array_view> views,
                                               std::initializer_list<output_view> outputs,
                                               const options& options = {});

/// Clears a buffer on the executor's stream, asynchronously: once before its first use, and again
/// after a request that used it failed on the device. Successful requests leave it clear.
/// Shape:  `buffer` is device memory of `bytes` bytes, aligned to 256.
/// Fails:  unsupported (no CUDA), usage (null), device_error.
ONEFOLD_API status workspace_init(const executor::cuda& executor, void* buffer, std::size_t bytes);

}  // namespace onefold
