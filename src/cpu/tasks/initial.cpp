// SPDX-License-Identifier: Apache-2.0
#include "cpu/tasks/initial.hpp"

#include <vector>

#include "cpu/tasks/worker.hpp"
#include "onefold/detail/extrema.hpp"

namespace onefold::cpu {

// A task of its own takes the element in, so that it means what any other element means.
void add_initial(accumulation& into, dtype input, const options& how) {
  if (!how.initial) return;
  with_type(input, [&]<class T>(detail::tag<T>) {
    const T element = initial_element<T>(*how.initial);
    // Fast sums know nothing of NaNs: their reader takes them out.
    if (how.how == accuracy::fast && how.nan != nan_policy::propagate && detail::is_nan(element)) {
      ++into.dropped_nans();
      return;
    }
    worker one(into, input, how.how);
    std::vector<ordered_state> parts;
    one.take({&element, nullptr, 1, -1}, parts);
    into.push(parts);
    one.drain(into);
  });
}

}  // namespace onefold::cpu
