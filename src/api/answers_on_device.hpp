// SPDX-License-Identifier: Apache-2.0
// Requests of several answers on a GPU, where the host rounds the states that the device makes.
#pragma once

#include <span>

#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"

namespace onefold {

/// Computes and writes every answer of the plan: the device makes the states, and the host rounds
/// them on as many threads as the plan has. outputs: one for each operator. Outputs in device
/// memory are written at the end; their answers must fill the memory that they span. Fails: as
/// cuda::reduce_each and as round_state; unsupported (outputs in device memory with gaps).
status reduce_answers_on_device(const executor& executor, const reduction& reduction,
                                std::span<const output_view> outputs);

}  // namespace onefold
