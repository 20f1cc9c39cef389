// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of ladder/exercises/, compiled in.

#include <string_view>

namespace onefold::ladder {

/// The text of "1_tail.cu" or "answers.md"; empty for a file that is not there.
std::string_view exercise_file_text(std::string_view name);

}  // namespace onefold::ladder
