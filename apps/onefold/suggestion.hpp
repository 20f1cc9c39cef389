// SPDX-License-Identifier: Apache-2.0
// Suggestions for an unknown word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onefold::program {

/// The known word with the same letters in lower case; else the word for a synonym of other
/// libraries (ddof is correction); else the nearest within two letters wrong, missing, too many or
/// swapped with their neighbour, and fewer than half of all letters. Else "".
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace onefold::program
