// SPDX-License-Identifier: Apache-2.0
// Dispatches an accumulator to the tasks that fill its state.
#include "cpu/tasks/tasks.hpp"

namespace onefold::cpu {

std::unique_ptr<task> make_task(family what, dtype input) {
  switch (what) {
  case family::extrema:
    return make_extrema_task(input);
  case family::tally:
    return make_tally_task(input);
  case family::bits:
    return make_bits_task(input);
  default:
    return make_exact_task(what, input);
  }
}

std::unique_ptr<ordered_task> make_ordered_task(family what, dtype input, accuracy how) {
  switch (what) {
  case family::product:
    return make_product_task(input, how);
  case family::log_sum:
    return make_log_sum_task(input);
  default:
    return make_fast_task(what, input);
  }
}

}  // namespace onefold::cpu
