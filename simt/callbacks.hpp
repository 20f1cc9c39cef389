// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bridge from the compilers' callbacks to the executor.

namespace onefold::simt {

class executor;

/// The executor whose lane is running; null outside lanes and inside callbacks, so that host code
/// of an instrumented unit, and instrumented inline functions used by the executor itself, go
/// unseen.
extern executor* running_executor;

}  // namespace onefold::simt
