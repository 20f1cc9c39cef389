// SPDX-License-Identifier: Apache-2.0
// Validation of a request, and the properties of it that the loops depend on.
#pragma once

#include <optional>
#include <span>

#include "onefold/plan.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Whether operators, element types and options are valid together. Fails: usage, unsupported,
/// mismatch. `mapped`: the type that the caller's map returns, which is the type that is reduced.
status check_request(const op_list& ops, std::span<const array_view> views, const options& options,
                     std::optional<dtype> mapped = {});

/// The status of a call that does not support options::count and options::status_out: ok where
/// neither is set.
status check_no_device_options(const options& options);

/// The status of a call that does not support options::min_count and options::empty_value; `where`
/// it is. Fails: unsupported.
status check_no_counts(const options& options, const char* where);

/// What a GPU makes of the accuracy that is asked for: plan_on_device has the rule.
accuracy accuracy_on_device(const op_list& ops, dtype input, accuracy requested);

/// Whether an operator of the list returns a position, so that the order of elements matters.
bool reports_positions(const op_list& ops);

/// The element type of the loops: for two views, the type that represents both exactly.
dtype loop_type(std::span<const array_view> views);

/// Whether NaN elements are removed, and counted, while the data are gathered: under omit and
/// error, for states that do not count NaNs separately as exact sums and extrema do.
bool drops_nans(const plan& plan);

}  // namespace onefold
