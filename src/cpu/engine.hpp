// SPDX-License-Identifier: Apache-2.0
// The interface of the CPU engine: a plan and its memory to states or to answers.
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

/// Adds the elements of the answer whose loops begin at `at`, with all threads of the plan. `first`
/// is the logical index of the first of them. Fails: out_of_memory, cancelled.
status accumulate(const reduction& reduction, const loop_origin& at, accumulation& into);

/// The same for the elements first … last - 1 of those loops. `before` of the `all` elements of the
/// request are done already.
status accumulate_range(const reduction& reduction, const loop_origin& at, std::int64_t first,
                        std::int64_t last, accumulation& into, std::int64_t before,
                        std::int64_t all);

/// Adds the elements of all loops to a state that may hold others already. Precondition: the plan
/// has one operator, the state's, and reduces all axes. Fails: as accumulate.
status add_to(const reduction& reduction, state& into);

/// Where the loops of the k-th answer begin, counted with the last kept axis fastest.
loop_origin origin_of(const plan& plan, std::int64_t k);

/// Passes every piece of every answer to a user's function. Fails: out_of_memory, cancelled.
status walk(const reduction& reduction, const piece_taker& take);

/// Writes every answer of the plan. outputs: one for each operator, in the plan's order. Fails: as
/// accumulate, and as the rounding of any answer.
status reduce_outputs(const reduction& reduction, std::span<const output_view> outputs);

/// Passes the state of every answer of the plan. Precondition: one operator. Fails: as accumulate.
status pass_states(const reduction& reduction, const state_taker& take);

/// The facts about this machine that plans depend on. Fails: unsupported (ONEFOLD_SIMD names a
/// target that this build or CPU lacks), unsound_arithmetic.
result<machine> this_machine(int threads_wanted);

/// The same for a request that only this engine serves. Fails: unsupported (another engine is
/// requested).
result<machine> this_machine(const executor& executor, const char* caller);

}  // namespace onefold::cpu
