// SPDX-License-Identifier: Apache-2.0
#include "state/ordered_state.hpp"

#include "state/states.hpp"

namespace onefold {
namespace {

template <class Sum, class Moments>
ordered_state empty_fast_state(accumulator accumulator) {
  if (accumulator == accumulator::moments) return fast_moments<Moments>();
  return fast_total<Sum>();
}

}  // namespace

ordered_state empty_ordered_state(accumulator accumulator, dtype input) {
  if (accumulator == accumulator::product) return detail::product();
  if (accumulator == accumulator::log_sum) return detail::log_sum();
  switch (input) {
  case dtype::f64:
    return empty_fast_state<double, double>(accumulator);
  case dtype::f32:
  case dtype::f16:
  case dtype::bf16:
    return empty_fast_state<float, float>(accumulator);
  default:
    return empty_fast_state<std::uint64_t, double>(accumulator);
  }
}

}  // namespace onefold
