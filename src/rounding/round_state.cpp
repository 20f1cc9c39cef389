// SPDX-License-Identifier: Apache-2.0
// Dispatches a state to the rounding of its accumulator.
#include "rounding/round_state.hpp"

#include "rounding/fast.hpp"
#include "state/accumulator.hpp"

namespace onefold {

status round_state(op what, const any_state& from, const rounding_context& how, void* output,
                   dtype type) {
  switch (accumulator_of(what)) {
  case accumulator::extrema:
    return round_extrema(what, std::get<detail::extrema>(from), how, output, type);
  case accumulator::counts:
    return round_counts(what, std::get<detail::nonzero_counts>(from), how, output, type);
  case accumulator::bits:
    return round_bits(what, std::get<detail::bit_fold>(from), how, output, type);
  case accumulator::product:
    return round_product(std::get<detail::product>(from), how, output, type);
  case accumulator::log_sum:
    return round_log_sum(std::get<detail::log_sum>(from), how, output, type);
  default:
    return round_exact_sum(what, from, how, output, type);
  }
}

status round_state(op what, const ordered_state& from, const rounding_context& how, void* output,
                   dtype type) {
  switch (accumulator_of(what)) {
  case accumulator::product:
    return round_product(std::get<detail::product>(from), how, output, type);
  case accumulator::log_sum:
    return round_log_sum(std::get<detail::log_sum>(from), how, output, type);
  default:
    return write_fast(from, {what, how.input, how.count, how.correction}, output, type);
  }
}

}  // namespace onefold
