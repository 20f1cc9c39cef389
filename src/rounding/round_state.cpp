// SPDX-License-Identifier: Apache-2.0
// Dispatches a state to the rounding of its accumulator.
#include "rounding/round_state.hpp"

#include "rounding/fast.hpp"
#include "state/accumulator.hpp"

namespace onefold {

status round_state(op op, const any_state& from, const rounding_context& context, void* output,
                   dtype type) {
  if (const auto* product = std::get_if<detail::product>(&from))
    return round_product(*product, context, output, type);
  if (const auto* log_sum = std::get_if<detail::log_sum>(&from))
    return round_log_sum(*log_sum, context, output, type);
  if (has_fast_form(accumulator_of(op))) return round_exact_sum(op, from, context, output, type);
  return round_selection(op, from, context, output, type);
}

status round_state(op op, const ordered_state& from, const rounding_context& context, void* output,
                   dtype type) {
  if (const auto* product = std::get_if<detail::product>(&from))
    return round_product(*product, context, output, type);
  if (const auto* log_sum = std::get_if<detail::log_sum>(&from))
    return round_log_sum(*log_sum, context, output, type);
  return write_fast(from, {op, context.input, context.count, context.correction}, output, type);
}

}  // namespace onefold
