// SPDX-License-Identifier: Apache-2.0
// The CPU engine: a plan and the memory it speaks of, to states or to answers.
#pragma once

#include <cstdint>
#include <span>

#include "onefold/callbacks.hpp"
#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "request/make.hpp"
#include "request/reduction.hpp"
#include "runtime/accumulation.hpp"

namespace onefold::cpu {

/// Adds the elements of the answer whose loops begin at `at`, by all threads of the plan.
/// `first` is the logical index of the first of them.
/// Fails: out_of_memory, cancelled.
status accumulate(const reduction& of, const loop_origin& at, accumulation& into);

/// The same for the elements first … last - 1 of those loops. Of the `all` elements of the
/// request `before` are done already.
status accumulate_range(const reduction& of, const loop_origin& at, std::int64_t first,
                        std::int64_t last, accumulation& into, std::int64_t before,
                        std::int64_t all);

/// Adds the elements of all loops to a state that may have others already. Precondition: the
/// plan has one operator, the state's, and reduces all axes. Fails: as accumulate.
status add_to(const reduction& of, state& into);

/// Where the loops of the k-th answer begin, counted with the last kept axis fastest.
loop_origin origin_of(const plan& decided, std::int64_t k);

/// Gives every piece of every answer to a user's function. Fails: out_of_memory, cancelled.
status walk(const reduction& of, const piece_taker& take);

/// Writes every answer of the plan. outputs: one for each operator, in the plan's order.
/// Fails: as accumulate, and as the finish of any answer.
status reduce_outputs(const reduction& of, std::span<const output_view> outputs);

/// What plans need to know of this machine. Fails: unsupported (ONEFOLD_SIMD names a target that
/// is not here), unsound_arithmetic.
result<machine> this_machine(int threads_wanted);

/// The same for a request that this engine alone serves. Fails: unsupported (another engine is
/// asked for).
result<machine> this_machine(const executor& on, const char* what);

}  // namespace onefold::cpu
