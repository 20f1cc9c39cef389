// SPDX-License-Identifier: Apache-2.0
// The operators as the command line knows them: their names, their lists, their valid options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onefold/accuracy.hpp"
#include "onefold/op_list.hpp"
#include "onefold/scalar.hpp"
#include "options.hpp"

namespace onefold::program {

/// The operators of "sum,mean". Throws failure (usage: no such operator, a duplicate, an empty
/// item).
op_list parse_operations(const std::string& word);

/// The names of all operators.
std::vector<std::string> operator_names();

/// Whether the answer divides by the number of elements less --correction.
bool divides_by_count(op op) noexcept;

/// The type of an answer: the requested one, else NumPy's, but f64 if that has 16 bits.
dtype output_type(op op, dtype input, const request& request) noexcept;

/// The level of an answer over elements of `type`.
level level_of(op op, dtype type, accuracy accuracy) noexcept;

/// An initial value as written: an integer, or a double. Throws failure (usage).
scalar parse_initial(std::string_view option, const std::string& word);

/// Checks that some operator of the list uses each option. Throws failure (usage).
void check_operations(const request& request);

/// Whether the initial value is an element of this type. Throws failure (usage).
void check_initial(const request& request, dtype type, const std::string& input);

}  // namespace onefold::program
