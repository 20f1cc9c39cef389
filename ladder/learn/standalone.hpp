// SPDX-License-Identifier: Apache-2.0
#pragma once
// A rung's kernel as one text: its file with the files of the ladder that it includes put in their
// places. Pasted into a .cu file it compiles with nvcc and with `onefold ladder try`.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

/// Fails: std::invalid_argument for a rung that is built from more than the ladder's own files.
std::string standalone(const rung& r);

}  // namespace onefold::ladder
