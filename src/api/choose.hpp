// SPDX-License-Identifier: Apache-2.0
// What executor::automatic is for a request, and what happens where a GPU that it chose cannot go
// on.
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
  executor on;
  std::optional<executor> back{};  ///< where a GPU of automatic gives data of the host back
};

/// Automatic becomes the GPU whose memory holds one of the addresses; all else stays as it is.
executor beside(const executor& on, std::initializer_list<const void*> addresses);
executor beside(const executor& on, std::span<const array_view> views,
                std::span<const output_view> outputs, const options& how);

/// Automatic becomes a GPU where the rule of request/place.hpp says so and there is a device; else
/// it is the CPU. items: of all pieces of which the plan is one, or 0.
choice choose(const executor& on, const plan& decided, std::int64_t items = 0);

/// Whether the CPU does what a GPU that was chosen did not.
bool falls_back(const status& why) noexcept;

/// Tells options::placed where the request runs.
void tell_place(const options& how, const executor& on, const status& why);

/// The options with a progress that does not fall when the CPU begins anew.
options with_rising_progress(const options& how);

/// Does the work on the choice, and where a GPU of automatic cannot, on the CPU.
/// work: (executor, options) -> status or result. Order: a second run writes all that the first
/// one wrote.
template <class Work>
auto run_on(const choice& at, const options& how, const Work& work) {
  if (!at.back) return work(at.on, how);
  const options watched = with_rising_progress(how);
  tell_place(how, at.on, {});
  auto done = work(at.on, watched);
  status why;
  if constexpr (requires { done.why(); })
    why = done.why();
  else
    why = done;
  if (!falls_back(why)) return done;
  tell_place(how, *at.back, why);
  return work(*at.back, watched);
}

}  // namespace onefold
