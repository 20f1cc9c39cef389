// SPDX-License-Identifier: Apache-2.0
// What a misspelt word was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onefold::program {

/// The known word that is nearest, if one is near: at most two letters wrong, missing, too many
/// or swapped with their neighbour, and fewer than half of them. Else "".
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace onefold::program
