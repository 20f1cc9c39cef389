// SPDX-License-Identifier: Apache-2.0
// The answers of products of integers.
#include "rounding/round_state.hpp"

#include <type_traits>

#include "onefold/exact.hpp"
#include "rounding/errors.hpp"

namespace onefold {
namespace {

status beyond_64_bits() {
  return {status_code::overflow,
          "the exact prod does not fit 64 bits; convert the elements to f64, or ask for "
          "accuracy::fast, which wraps"};
}

// The magnitude and the sign as a sum of one element, which is rounded once. A product that wrapped
// has no sign of its own: its 64 bits are read as signed or unsigned, like the elements.
template <class Out>
Out rounded_integer(const detail::product& from, dtype input) {
  exact_sum<std::int64_t> one;
  if (from.form() == detail::product_form::wrapped && !is_unsigned(input))
    return one.add(from.integer<std::int64_t>()), one.value<Out>();
  one.add(from.magnitude());
  const Out magnitude = one.value<Out>();
  if (!from.negative()) return magnitude;
  using format = detail::float_format<Out>;
  return detail::from_bits<Out>(
      typename format::bits(detail::to_bits(magnitude) | format::sign_bit));
}

template <class Out>
status write_integer_product(const detail::product& from, const rounding_context& context,
                             void* output) {
  if constexpr (std::is_same_v<Out, bool>) {
    return no_such_form(op::prod, context.input, dtype::boolean, "another type");
  } else if constexpr (std::is_integral_v<Out>) {
    if (!from.fits<Out>())
      return from.beyond() ? beyond_64_bits() : does_not_fit(op::prod, dtype_of<Out>);
    return store(output, from.integer<Out>()), status();
  } else {
    if (from.beyond()) return beyond_64_bits();
    return store(output, rounded_integer<Out>(from, context.input)), status();
  }
}

}  // namespace

status round_integer_product(const detail::product& from, const rounding_context& context,
                             void* output, dtype type) {
  return with_type(type, [&]<class Out>(detail::tag<Out>) -> status {
    return write_integer_product<Out>(from, context, output);
  });
}

}  // namespace onefold
