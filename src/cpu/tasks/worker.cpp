// SPDX-License-Identifier: Apache-2.0
#include "cpu/tasks/worker.hpp"

#include <utility>

#include "cpu/tasks/tasks.hpp"

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

}  // namespace onefold::cpu
