// SPDX-License-Identifier: Apache-2.0
// Dispatches a state to the rounding of its accumulator.
#include "rounding/finish.hpp"

#include "rounding/fast.hpp"
#include "state/family.hpp"

namespace onefold {

status finish(op what, const any_state& from, const finishing& how, void* output, dtype type) {
  switch (family_of(what)) {
  case family::extrema:
    return finish_extrema(what, std::get<detail::extrema>(from), how, output, type);
  case family::tally:
    return finish_tally(what, std::get<detail::tally>(from), how, output, type);
  case family::bits:
    return finish_bits(what, std::get<detail::bit_fold>(from), how, output, type);
  case family::product:
    return finish_product(std::get<detail::product>(from), how, output, type);
  case family::log_sum:
    return finish_log_sum(std::get<detail::log_sum>(from), how, output, type);
  default:
    return finish_exact_sum(what, from, how, output, type);
  }
}

status finish(op what, const ordered_state& from, const finishing& how, void* output, dtype type) {
  switch (family_of(what)) {
  case family::product:
    return finish_product(std::get<detail::product>(from), how, output, type);
  case family::log_sum:
    return finish_log_sum(std::get<detail::log_sum>(from), how, output, type);
  default:
    return write_fast(from, {what, how.input, how.count, how.correction}, output, type);
  }
}

}  // namespace onefold
