// SPDX-License-Identifier: Apache-2.0
// Which engine executor::automatic uses for a request, and the fallback to the CPU where the chosen
// GPU fails.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "onefold/executor.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// The engine of a request.
struct choice {
  onefold::executor executor;
  std::optional<onefold::executor> back{};  ///< fallback, where automatic chose a GPU for host data
};

/// Replaces automatic, or several devices, by the GPU whose memory holds one of the addresses;
/// other executors are unchanged.
executor beside(const executor& executor, std::initializer_list<const void*> addresses);
executor beside(const executor& executor, std::span<const array_view> views,
                std::span<const output_view> outputs, const options& options);

/// Replaces automatic by a GPU where the rule of request/place.hpp prefers it and there is a
/// device; otherwise by the CPU. items: the elements of all pieces where the plan is one of
/// several; 0: of the plan alone.
choice choose(const executor& executor, const plan& plan, std::int64_t items = 0);

/// The plan as the executor that was chosen runs it.
plan planned_for(const executor& executor, const plan& plan, std::span<const array_view> views);

/// Whether the CPU retries what the chosen GPU failed to do.
bool falls_back(const status& why) noexcept;

/// Reports to options::placed where the request runs.
void report_place(const options& options, const executor& executor, const status& why);

/// The options with a progress callback that does not fall when the CPU starts over.
options with_rising_progress(const options& options);

/// Runs the work on the chosen engine, and on the CPU where automatic's GPU fails. work: (executor,
/// options) -> status or result. A second run overwrites everything that the first one wrote.
template <class Work>
auto run_on(const choice& at, const options& options, const Work& work) {
  if (!at.back) return work(at.executor, options);
  const onefold::options watched = with_rising_progress(options);
  report_place(options, at.executor, {});
  auto done = work(at.executor, watched);
  status why;
  if constexpr (requires { done.why(); })
    why = done.why();
  else
    why = done;
  if (!falls_back(why)) return done;
  report_place(options, *at.back, why);
  return work(*at.back, watched);
}

}  // namespace onefold
