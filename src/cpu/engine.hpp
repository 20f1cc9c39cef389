// SPDX-License-Identifier: Apache-2.0
// The CPU engine: a plan and the memory it speaks of, to a state or a fast sum.
#pragma once

#include <cstdint>
#include <variant>

#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "plan/make.hpp"
#include "state/fast_sum.hpp"

namespace onefold::cpu {

using any_fast_sum = std::variant<fast_sum<float>, fast_sum<double>, fast_sum<std::uint64_t>>;

/// The tree that a fast sum of this element type needs.
any_fast_sum make_fast_sum(dtype input);

/// Adds the elements to a state. Fails: out_of_memory.
status add_exact(const plan& decided, const void* data, state& into);

/// Adds the elements, chunk by chunk, to the tree of a fast sum. Fails: out_of_memory.
status add_fast(const plan& decided, const void* data, any_fast_sum& into);

/// What plans need to know of this machine. Fails: unsupported (ONEFOLD_SIMD names a target that
/// is not here), unsound_arithmetic.
result<machine> this_machine(int threads_wanted);

}  // namespace onefold::cpu
