// SPDX-License-Identifier: Apache-2.0
// onefold::walk: passes the elements of a view, piece by piece, to a user's own reduction.
#include "api/choose.hpp"
#include "cpu/engine.hpp"
#include "onefold/custom.hpp"
#include "request/request.hpp"

namespace onefold {
namespace {

status refused(const char* what) {
  return {status_code::unsupported, what};
}

// Refuses the options that only the operator itself could apply.
status check_options(const options& how) {
  if (how.nan_policy != nan_policy::propagate)
    return refused("an operator of your own decides what a NaN does; look for it in add(), and "
                   "leave options::nan_policy as it is");
  if (how.initial)
    return refused("an operator of your own takes no options::initial; put it into the identity");
  if (how.accuracy != accuracy::exact)
    return refused(
        "an operator of your own is neither exact nor fast; leave options::accuracy as it is");
  if (how.keepdims)
    return refused("the states of an operator of your own are a list; options::keepdims has no "
                   "place for its axes");
  return check_no_device_options(how);
}

result<plan> plan_of(const executor& on, const array_view& x, const options& how) {
  if (auto fine = check_options(how); !fine) return fine;
  const auto machine = cpu::this_machine(beside(on, {x.data()}), "operators of a caller");
  if (!machine) return machine.why();
  return make_walk_plan(*machine, x, how);
}

}  // namespace

result<walk_shape> walk_of(const array_view& x, const options& how) try {
  const auto plan = plan_of({}, x, how);
  if (!plan) return plan.why();
  return walk_shape{plan->outputs, plan->chunks};
} catch (...) {
  return detail::memory_refused();
}

status walk(const executor& on, const array_view& x, const options& how,
            const piece_taker& take) try {
  const auto plan = plan_of(on, x, how);
  if (!plan) return plan.why();
  return cpu::walk(reduction(*plan, std::span(&x, 1), how), take);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
