// SPDX-License-Identifier: Apache-2.0
// What may be asked for, and what follows from it for the loops.
#pragma once

#include <optional>
#include <span>

#include "onefold/plan.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Whether operators, element types and options go together. Fails: usage, unsupported, mismatch.
/// `mapped`: the type of what a caller's function makes of the elements, which is what is reduced.
status check_request(const op_list& what, std::span<const array_view> views, const options& how,
                     std::optional<dtype> mapped = {});

/// What a call answers that does not read options::count or options::status_out: ok without them.
status check_no_device_options(const options& how);

/// Whether an operator of the list tells where an element is, so that the order counts.
bool tells_positions(const op_list& what);

/// The element type that the loops see: of two views the type that holds both exactly.
dtype loop_type(std::span<const array_view> views);

/// Whether NaN elements are taken out, and counted, while the data are gathered: under omit and
/// error, where a state does not count them apart as exact sums and extrema do.
bool drops_nans(const plan& decided);

}  // namespace onefold
