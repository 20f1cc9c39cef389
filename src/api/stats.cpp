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
status write(const accumulation& from, op op, dtype input, const options& options, T& answer) {
  auto done = round_answer(from, op, input, options, &answer, dtype_of<T>);
  if (done.code() == status_code::empty) return {};
  return done;
}

result<statistics> stats_on(const executor& executor, const reduction& reduction) {
  const auto& plan = reduction.plan;
  const options& options = reduction.options;
  accumulation states(plan.ops, plan.input, plan.accuracy);
  if (auto done = accumulate(executor, reduction, states, 0, plan.items); !done) return done;
  statistics statistics;
  const auto& counted =
      std::get<detail::nonzero_counts>(std::get<any_state>(states.state_for(op::count).value));
  statistics.count = counted.count(true);
  statistics.nan_count = counted.nan_count() + states.dropped_nans();
  statistics.min = statistics.max = std::numeric_limits<double>::quiet_NaN();
  const std::pair<op, double*> numbers[] = {
      {op::sum, &statistics.sum},        {op::mean, &statistics.mean},   {op::var, &statistics.var},
      {op::stddev, &statistics.std_dev}, {op::norm2, &statistics.norm2}, {op::min, &statistics.min},
      {op::max, &statistics.max}};
  for (const auto& [op, to] : numbers)
    if (auto done = write(states, op, plan.input, options, *to); !done) return done;
  const std::pair<op, std::int64_t*> positions[] = {{op::argmin, &statistics.argmin},
                                                    {op::argmax, &statistics.argmax}};
  for (const auto& [op, to] : positions)
    if (auto done = write(states, op, plan.input, options, *to); !done) return done;
  return statistics;
}

}  // namespace

result<statistics> try_stats(const executor& requested, const array_view& x,
                             const options& options) try {
  if (auto fine = check_no_device_options(options); !fine) return fine;
  const std::span given(&x, 1);
  const executor executor = beside(requested, given, {}, options);
  const auto plan = make_plan(executor, all_statistics, {x}, options);
  if (!plan) return plan.why();
  if (plan->outputs != 1 || options.keepdims)
    return status(status_code::unsupported,
                  "stats are of all axes; reduce() takes the operators and the axes");
  return run_on(choose(executor, *plan), options,
                [&](const onefold::executor& where, const onefold::options& watched) {
                  const onefold::plan own = planned_for(where, *plan, given);
                  return stats_on(where, reduction(own, given, watched));
                });
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
