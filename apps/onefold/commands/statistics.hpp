// SPDX-License-Identifier: Apache-2.0
// The columns of `onefold stats`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/op_list.hpp"
#include "onefold/windows.hpp"
#include "options.hpp"
#include "report/report.hpp"

namespace onefold::program {

/// The operators of the columns, in their order, without the count of NaNs.
op_list statistics_operators();

/// The names of all columns.
std::vector<std::string_view> statistics_names();

/// The columns of one input, without values yet. Counts and indices are i64, min and max have the
/// elements' type, or f64 if that has 16 bits, the others are f64.
/// Shape: `shape` has the extents of the kept axes; `items` the elements of each answer.
std::vector<answer> statistics_columns(dtype input, std::int64_t items,
                                       const std::vector<std::int64_t>& shape,
                                       const std::string& name);

/// Writes row k of the columns from the windows. Values of empty inputs are NaN, or index -1.
/// Throws failure (not_a_number).
void write_statistics(const windows& from, std::vector<answer>& columns, std::int64_t k);

/// Writes all rows from memory. Precondition: columns of answer_shape(x).
/// Fails: as reduce; empty if one of the answers has no element that counts.
status write_statistics(const array_view& x, const request& request, std::vector<answer>& columns);

}  // namespace onefold::program
