// SPDX-License-Identifier: Apache-2.0
// The fault in a text that is not a number, and its remedy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onefold::program {

/// The index of the first invalid character, or the size of the text if it ends too early, or npos
/// for a legal number. The grammar is that of onefold::decimal_sum.
std::size_t find_fault(std::string_view text);

/// Whether it is a usual mark of a missing value, in any case: docs/command-line.md has the list.
bool is_missing(std::string_view text);

/// A sentence for a missing value: such a mark, or the nothing of an empty line; remedy.
std::string describe_missing(std::string_view text);

/// A sentence for the fault at `at`: what; remedy.
std::string describe_fault(std::string_view text, std::size_t at);

}  // namespace onefold::program
