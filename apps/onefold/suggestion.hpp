// SPDX-License-Identifier: Apache-2.0
// What a word that is not known was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onefold::program {

/// The known word of the same letters in lower case; else what others call by this name (ddof is
/// correction); else the nearest, if one is near: at most two letters wrong, missing, too many or
/// swapped with their neighbour, and fewer than half of them. Else "".
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace onefold::program
