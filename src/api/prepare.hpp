// SPDX-License-Identifier: Apache-2.0
// What entry points do before they call an engine: checks, the plan, and the request as the CUDA
// engine takes it.
#pragma once

#include <span>

#include "cuda/plan/request.hpp"
#include "onefold/array_view.hpp"
#include "onefold/op_list.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"
#include "onefold/status.hpp"
#include "request/make.hpp"
#include "request/reduction.hpp"

namespace onefold {

/// Makes the plan of a request and checks that the outputs fit its views.
status check_and_plan(const machine& here, const op_list& ops, std::span<const array_view> views,
                      std::span<const output_view> outputs, const options& options, plan& plan);

/// Whether the output has the shape of the operator's answers. Fails: mismatch.
status check_output(op op, const array_view& x, const options& options, const output_view& output);

cuda::request request_of(const reduction& reduction);

}  // namespace onefold
