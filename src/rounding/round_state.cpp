// SPDX-License-Identifier: Apache-2.0
// Dispatches a state to the rounding of its accumulator.
#include "rounding/round_state.hpp"

#include "rounding/fast.hpp"
#include "state/accumulator.hpp"

namespace onefold {

status round_state(op what, const any_state& from, const rounding_context& how, void* output,
                   dtype type) {
  if (const auto* product = std::get_if<detail::product>(&from))
    return round_product(*product, how, output, type);
  if (const auto* log_sum = std::get_if<detail::log_sum>(&from))
    return round_log_sum(*log_sum, how, output, type);
  if (has_fast_form(accumulator_of(what))) return round_exact_sum(what, from, how, output, type);
  return round_selection(what, from, how, output, type);
}

status round_state(op what, const ordered_state& from, const rounding_context& how, void* output,
                   dtype type) {
  if (const auto* product = std::get_if<detail::product>(&from))
    return round_product(*product, how, output, type);
  if (const auto* log_sum = std::get_if<detail::log_sum>(&from))
    return round_log_sum(*log_sum, how, output, type);
  return write_fast(from, {what, how.input, how.count, how.correction}, output, type);
}

}  // namespace onefold
