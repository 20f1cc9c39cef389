// SPDX-License-Identifier: Apache-2.0
#include "state/ordered_state.hpp"

#include <type_traits>

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
  if (detail::has_trait(accumulator, detail::merges_in_order)) {
    ordered_state made;
    const auto take = [&]<class State>(const State& empty) {
      if constexpr (std::is_constructible_v<ordered_state, State>) made = empty;
    };
    return std::visit(take, empty_state(accumulator, input)), made;
  }
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
