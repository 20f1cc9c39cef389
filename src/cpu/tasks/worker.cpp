// SPDX-License-Identifier: Apache-2.0
// The tasks of one thread, which also add the initial value.
#include "cpu/tasks/worker.hpp"

#include <utility>

#include "cpu/tasks/initial.hpp"
#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/extrema.hpp"

namespace onefold::cpu {

worker::worker(const accumulation& of, dtype input, accuracy how) {
  for (const accumulator_state& each : of.accumulators()) {
    slot made;
    if (each.ordered())
      made.ordered = make_ordered_task(each.what, input, how);
    else
      made.commuting = make_task(each.what, input);
    slots_.push_back(std::move(made));
  }
}

void worker::take(const piece& next, std::vector<ordered_state>& parts) {
  parts.clear();
  count_ += next.n;
  if (next.n == 0) return;
  for (slot& each : slots_) {
    if (each.commuting)
      each.commuting->take(next);
    else
      parts.push_back(each.ordered->take(next));
  }
}

void worker::drain(accumulation& into) {
  into.count() += std::exchange(count_, 0);
  into.dropped_nans() += std::exchange(dropped_nans_, 0);
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].commuting)
      slots_[i].commuting->drain(std::get<any_state>(into.accumulators()[i].value));
  for (slot& each : slots_) {
    if (!each.commuting) continue;
    into.paths() += each.commuting->paths();
    into.paths() -= each.last_drained;
    each.last_drained = each.commuting->paths();
  }
}

// A task adds the element, so that it is treated like every other element.
void add_initial(accumulation& into, dtype input, const options& how) {
  if (!how.initial) return;
  with_type(input, [&]<class T>(detail::tag<T>) {
    const T element = initial_element<T>(*how.initial);
    // Fast sums do not count NaNs: their reader removes them.
    if (how.accuracy == accuracy::fast && how.nan_policy != nan_policy::propagate &&
        detail::is_nan(element)) {
      ++into.dropped_nans();
      return;
    }
    worker one(into, input, how.accuracy);
    std::vector<ordered_state> parts;
    one.take({&element, nullptr, 1, -1}, parts);
    into.push(parts);
    one.drain(into);
  });
}

}  // namespace onefold::cpu
