// SPDX-License-Identifier: Apache-2.0
// onefold::walk: passes the elements of a view, piece by piece, to a user's own reduction.
#include "api/choose.hpp"
#include "cpu/engine.hpp"
#include "onefold/custom.hpp"
#include "request/request.hpp"

namespace onefold {
namespace {

status refused(const char* problem) {
  return {status_code::unsupported, problem};
}

// Refuses the options that only the operator itself could apply.
status check_options(const options& options) {
  if (options.nan_policy != nan_policy::propagate)
    return refused("an operator of your own decides what a NaN does; look for it in add(), and "
                   "leave options::nan_policy as it is");
  if (options.initial)
    return refused("an operator of your own takes no options::initial; put it into the identity");
  if (options.accuracy != accuracy::exact)
    return refused(
        "an operator of your own is neither exact nor fast; leave options::accuracy as it is");
  if (options.keepdims)
    return refused("the states of an operator of your own are a list; options::keepdims has no "
                   "place for its axes");
  return check_no_device_options(options);
}

result<plan> plan_of(const executor& executor, const array_view& x, const options& options) {
  if (auto fine = check_options(options); !fine) return fine;
  const auto machine = cpu::this_machine(beside(executor, {x.data()}), "operators of a caller");
  if (!machine) return machine.why();
  return make_walk_plan(*machine, x, options);
}

}  // namespace

result<walk_shape> walk_of(const array_view& x, const options& options) try {
  const auto plan = plan_of({}, x, options);
  if (!plan) return plan.why();
  return walk_shape{plan->outputs, plan->chunks};
} catch (...) {
  return detail::memory_refused();
}

status walk(const executor& executor, const array_view& x, const options& options,
            const piece_taker& take) try {
  const auto plan = plan_of(executor, x, options);
  if (!plan) return plan.why();
  return cpu::walk(reduction(*plan, std::span(&x, 1), options), take);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
