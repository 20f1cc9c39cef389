// SPDX-License-Identifier: Apache-2.0
// Several answers by the CUDA engine.
#pragma once

#include <span>

#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"

namespace onefold {

/// Writes every answer of the plan: the device makes states, the host rounds them, by as many
/// threads as the plan has. outputs: one for each operator; those in device memory are written at
/// the end, and their answers fill the memory that they span. Fails: as cuda::reduce_each and as
/// finish; unsupported (outputs in device memory with gaps).
status reduce_answers_on_device(const executor& on, const reduction& of,
                                std::span<const output_view> outputs);

}  // namespace onefold
