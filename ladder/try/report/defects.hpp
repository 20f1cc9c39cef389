// SPDX-License-Identifier: Apache-2.0
#pragma once
// From what lines store to what is wrong with them. Only asked when the answer is wrong.

#include "ladder/try/report/report.hpp"
#include "ladder/try/watch/store_watch.hpp"

namespace onefold::ladder::learner {

try_defect defect_at(const char* kind, const simt::location& place, std::string detail);

using stored_lines = std::map<std::uintptr_t, store_watch::line>;

/// Lines whose every store is explained by another operator than the one asked for; and, when no
/// line folds at all, those that copy within shared memory. `multiplies`: the kernel is asked for
/// products, too.
std::vector<try_defect> wrong_operators(const stored_lines& lines, reduction op,
                                        bool multiplies = false);

/// Lines that store, for a lane without an element, a value that changes `expected`; and for a
/// maximum or minimum, lines that store what the lane has not loaded.
std::vector<try_defect> wrong_identities(const stored_lines& lines, reduction op, scalar type,
                                         number expected);

}  // namespace onefold::ladder::learner
