// SPDX-License-Identifier: Apache-2.0
// onefold::reduce and make_plan for lists of run-time length.
#pragma once

#include <span>
#include <vector>

#include "onefold/plan.hpp"
#include "onefold/reduce.hpp"
#include "options.hpp"

namespace onefold::program {

/// As onefold::make_plan. Precondition: one or two views.
result<plan> plan_views(const executor& executor, const op_list& ops,
                        std::span<const array_view> views, const options& options);

/// As onefold::reduce. Precondition: one or two views; an output for each operator.
status reduce_views(const executor& executor, const op_list& ops, std::span<const array_view> views,
                    const std::vector<output_view>& outputs, const options& options);

}  // namespace onefold::program
