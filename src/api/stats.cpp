// SPDX-License-Identifier: Apache-2.0
// onefold::try_stats: count, sum, mean, variance, norm and extrema of all elements in one pass.
#include "onefold/stats.hpp"

#include <cmath>
#include <limits>

#include "api/accumulate.hpp"
#include "api/choose.hpp"
#include "cpu/engine.hpp"
#include "cpu/tasks/initial.hpp"
#include "request/request.hpp"

namespace onefold {
namespace {

const op_list all_statistics = {op::count, op::sum, op::mean, op::var,    op::stddev,
                                op::norm2, op::min, op::max,  op::argmin, op::argmax};

// Leaves `to` as it is where the operator has no answer (min of no elements).
template <class T>
status write(const accumulation& from, op what, dtype input, const options& how, T& to) {
  auto done = round_answer(from, what, input, how, &to, dtype_of<T>);
  if (done.code() == status_code::empty) return {};
  return done;
}

result<statistics> stats_on(const executor& on, const reduction& of) {
  const auto& plan = of.plan;
  const options& how = of.options;
  accumulation states(plan.ops, plan.input, how.accuracy);
  if (auto done = accumulate(on, of, states, 0, plan.items); !done) return done;
  statistics made;
  const auto& counted =
      std::get<detail::nonzero_counts>(std::get<any_state>(states.of(op::count).value));
  made.count = counted.count(true);
  made.nan_count = counted.nan_count() + states.dropped_nans();
  made.min = made.max = std::numeric_limits<double>::quiet_NaN();
  const std::pair<op, double*> numbers[] = {{op::sum, &made.sum},     {op::mean, &made.mean},
                                            {op::var, &made.var},     {op::stddev, &made.std_dev},
                                            {op::norm2, &made.norm2}, {op::min, &made.min},
                                            {op::max, &made.max}};
  for (const auto& [what, to] : numbers)
    if (auto done = write(states, what, plan.input, how, *to); !done) return done;
  const std::pair<op, std::int64_t*> positions[] = {{op::argmin, &made.argmin},
                                                    {op::argmax, &made.argmax}};
  for (const auto& [what, to] : positions)
    if (auto done = write(states, what, plan.input, how, *to); !done) return done;
  return made;
}

}  // namespace

result<statistics> try_stats(const executor& asked, const array_view& x, const options& how) try {
  if (auto fine = check_no_device_options(how); !fine) return fine;
  const std::span given(&x, 1);
  const executor on = beside(asked, given, {}, how);
  const auto plan = make_plan(on, all_statistics, {x}, how);
  if (!plan) return plan.why();
  if (plan->outputs != 1 || how.keepdims)
    return status(status_code::unsupported,
                  "stats are of all axes; reduce() takes the operators and the axes");
  return run_on(choose(on, *plan), how, [&](const executor& where, const options& watched) {
    return stats_on(where, reduction(*plan, given, watched));
  });
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
