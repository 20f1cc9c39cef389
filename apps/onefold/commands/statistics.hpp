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

/// The operators behind the columns, in their order, without the number of NaNs.
op_list statistics_operators();

/// The names of all columns.
std::vector<std::string_view> statistics_names();

/// The columns of one input, still without numbers. Counts and indices are i64, min and max of
/// the elements' type, or f64 where that has 16 bits, the rest f64.
/// Shape: `shape` are the extents of the axes that are kept; `items` the elements of each answer.
std::vector<answer> statistics_columns(dtype input, std::int64_t items,
                                       const std::vector<std::int64_t>& shape,
                                       const std::string& name);

/// Writes row k of the columns from what the windows hold. What nothing has is NaN, or index -1.
/// Throws failure (not_a_number).
void write_statistics(const windows& from, std::vector<answer>& columns, std::int64_t k);

/// Writes all rows from memory. Precondition: columns of answer_shape(x).
/// Fails: as reduce; empty where one of the answers has no element that counts.
status write_statistics(const array_view& x, const request& asked, std::vector<answer>& columns);

}  // namespace onefold::program
