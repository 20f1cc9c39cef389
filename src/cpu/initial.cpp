// SPDX-License-Identifier: Apache-2.0
#include "cpu/initial.hpp"

#include <vector>

namespace onefold::cpu {

// A task of its own takes the element in, so that it means what any other element means.
void add_initial(accumulation& into, dtype input, const options& how) {
  if (!how.initial) return;
  with_type(input, [&]<class T>(detail::tag<T>) {
    const T element = initial_element<T>(*how.initial);
    worker one(into, input, how.how);
    std::vector<ordered_state> parts;
    one.take({&element, nullptr, 1, -1}, parts);
    into.push(parts);
    one.drain(into);
  });
}

}  // namespace onefold::cpu
