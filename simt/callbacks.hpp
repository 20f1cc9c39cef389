// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bridge from the compilers' callbacks to the executor.

#include "simt/observer.hpp"

namespace onefold::simt {

class executor;

/// The executor whose lane is running; null outside lanes and inside callbacks, so that host code
/// of an instrumented unit, and instrumented inline functions used by the executor itself, go
/// unseen.
extern executor* running_executor;

/// The basic block that the running lane is expected to enter next, and behind it those after that:
/// the executor hears only of others. No block has the address path_end.
extern const std::uintptr_t* expected_step;

}  // namespace onefold::simt
