// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the name of a kernel says of what it computes.

#include "ladder/try/answer/expectation.hpp"

#include <optional>
#include <string>

namespace onefold::ladder::learner {

/// "row_sums" -> rows: what its parameters do not say.
std::optional<expectation> expectation_by_name(const std::string& name);

/// The word of a name for what is no fold by one operator: "mean", "count", "argmax", ...; null:
/// none. Of structs the fields say more than such a name. `names_operator`: it has a word for one.
const char* unknown_fold(const std::string& name, bool of_structs, bool names_operator);

}  // namespace onefold::ladder::learner
