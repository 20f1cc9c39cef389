// SPDX-License-Identifier: Apache-2.0
// Dispatches a state to the rounding of its accumulator.
#include "rounding/finish.hpp"

#include "rounding/fast.hpp"
#include "state/accumulator.hpp"

namespace onefold {

status finish(op what, const any_state& from, const finishing& how, void* output, dtype type) {
  switch (accumulator_of(what)) {
  case accumulator::extrema:
    return finish_extrema(what, std::get<detail::extrema>(from), how, output, type);
  case accumulator::counts:
    return finish_counts(what, std::get<detail::nonzero_counts>(from), how, output, type);
  case accumulator::bits:
    return finish_bits(what, std::get<detail::bit_fold>(from), how, output, type);
  case accumulator::product:
    return finish_product(std::get<detail::product>(from), how, output, type);
  case accumulator::log_sum:
    return finish_log_sum(std::get<detail::log_sum>(from), how, output, type);
  default:
    return finish_exact_sum(what, from, how, output, type);
  }
}

status finish(op what, const ordered_state& from, const finishing& how, void* output, dtype type) {
  switch (accumulator_of(what)) {
  case accumulator::product:
    return finish_product(std::get<detail::product>(from), how, output, type);
  case accumulator::log_sum:
    return finish_log_sum(std::get<detail::log_sum>(from), how, output, type);
  default:
    return write_fast(from, {what, how.input, how.count, how.correction}, output, type);
  }
}

}  // namespace onefold
