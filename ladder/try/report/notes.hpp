// SPDX-License-Identifier: Apache-2.0
#pragma once
// Races that CUDA's own guides print, and that do no harm on its devices: they are named with what
// strict memory order asks for, and are no defects.

#include "ladder/try/source/idioms.hpp"
#include "simt/findings.hpp"

namespace onefold::ladder::learner {

/// Empty: a defect. `equal`: lines that only store what other lanes store there.
std::string note_for(const simt::finding& finding, const idioms& source,
                     const std::vector<simt::location>& equal);

}  // namespace onefold::ladder::learner
