// SPDX-License-Identifier: Apache-2.0
// Dispatches an accumulator to the tasks that fill its state.
#include "cpu/tasks/tasks.hpp"

namespace onefold::cpu {

std::unique_ptr<task> make_task(accumulator what, dtype input) {
  switch (what) {
  case accumulator::extrema:
    return make_extrema_task(input);
  case accumulator::counts:
    return make_counts_task(input);
  case accumulator::bits:
    return make_bits_task(input);
  default:
    return make_exact_task(what, input);
  }
}

std::unique_ptr<ordered_task> make_ordered_task(accumulator what, dtype input, accuracy how) {
  switch (what) {
  case accumulator::product:
    return make_product_task(input, how);
  case accumulator::log_sum:
    return make_log_sum_task(input);
  default:
    return make_fast_task(what, input);
  }
}

}  // namespace onefold::cpu
