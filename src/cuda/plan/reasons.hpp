// SPDX-License-Identifier: Apache-2.0
// Why a request cannot be answered asynchronously on the device.
#pragma once

#include <span>
#include <string>

#include "cuda/plan/request.hpp"
#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/op.hpp"

namespace onefold::cuda {

/// Why a request needs the host whatever kernels there are, in words; empty: it does not. Sets the
/// device of the outputs where they are in the memory of one. is_part: other ranks have elements of
/// the answers too. Fails: throws onefold::error.
std::string reason_for_host(const executor::cuda& on, const request& request,
                            std::span<const output_view> outputs, int& device,
                            bool is_part = false);

/// Fails: throws onefold::error (usage), where an option's address is in host memory: a kernel that
/// accesses it would make the device unusable for the rest of the process.
void check_device_options(const options& options);

/// "sum of f32".
std::string of_type(op op, dtype type);

/// Whether the status of an operator depends on the elements, and not on the request alone: an
/// integer output may be too narrow, there may be no element that counts, NaNs may be refused.
/// Precondition: the operator has this output type, and elements.
bool depends_on_data(op op, const plan& plan, const options& options, dtype output);

}  // namespace onefold::cuda
