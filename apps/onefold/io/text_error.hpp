// SPDX-License-Identifier: Apache-2.0
// What is wrong with a piece of text that is not a number, and what to do about it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onefold::program {

/// The first character that cannot stand where it stands, or the size of the text if it ends too
/// early, or npos for a legal number. The grammar is that of onefold::decimal_sum.
std::size_t find_fault(std::string_view text);

/// NA, N/A, null, none: what tables write for a missing value, in any case.
bool is_missing(std::string_view text);

/// A sentence for the fault at `at`: what; remedy.
std::string describe_fault(std::string_view text, std::size_t at);

}  // namespace onefold::program
