// SPDX-License-Identifier: Apache-2.0
// Adds the caller's initial value to a state.
#include "cpu/tasks/initial.hpp"

#include <vector>

#include "cpu/tasks/worker.hpp"
#include "onefold/detail/extrema.hpp"

namespace onefold::cpu {

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
