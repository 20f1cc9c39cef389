// SPDX-License-Identifier: Apache-2.0
// The tasks of one thread, which also add the initial value.
#include "cpu/tasks/worker.hpp"

#include <utility>

#include "cpu/tasks/initial.hpp"
#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/extrema.hpp"

namespace onefold::cpu {

worker::worker(const accumulation& accumulation, dtype input, accuracy accuracy) {
  for (const accumulator_state& state : accumulation.accumulators()) {
    slot slot;
    if (state.ordered())
      slot.ordered = make_ordered_task(state.accumulator, input, accuracy);
    else
      slot.commuting = make_task(state.accumulator, input);
    slots_.push_back(std::move(slot));
  }
}

void worker::take(const piece& next, std::vector<ordered_state>& parts) {
  parts.clear();
  count_ += next.n;
  if (next.n == 0) return;
  for (slot& slot : slots_) {
    if (slot.commuting)
      slot.commuting->take(next);
    else
      parts.push_back(slot.ordered->take(next));
  }
}

void worker::drain(accumulation& into) {
  into.count() += std::exchange(count_, 0);
  into.dropped_nans() += std::exchange(dropped_nans_, 0);
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].commuting)
      slots_[i].commuting->drain(std::get<any_state>(into.accumulators()[i].value));
  for (slot& slot : slots_) {
    if (!slot.commuting) continue;
    into.paths() += slot.commuting->paths();
    into.paths() -= slot.last_drained;
    slot.last_drained = slot.commuting->paths();
  }
}

// A task adds the element, so that it is treated like every other element.
void add_initial(accumulation& into, dtype input, const options& options) {
  if (!options.initial) return;
  with_type(input, [&]<class T>(detail::tag<T>) {
    const T element = initial_element<T>(*options.initial);
    // Fast sums do not count NaNs: their reader removes them.
    if (options.accuracy == accuracy::fast && options.nan_policy != nan_policy::propagate &&
        detail::is_nan(element)) {
      ++into.dropped_nans();
      return;
    }
    worker one(into, input, options.accuracy);
    std::vector<ordered_state> parts;
    one.take({&element, nullptr, 1, -1}, parts);
    into.push(parts);
    one.drain(into);
  });
}

}  // namespace onefold::cpu
