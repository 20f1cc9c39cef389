// SPDX-License-Identifier: Apache-2.0
// State to value: the one place where an exact answer is rounded into an output type.
#include <cstring>
#include <string>
#include <type_traits>

#include "onefold/state.hpp"

namespace onefold {
namespace {

template <class T>
void store(void* output, T value) {
  std::memcpy(output, &value, sizeof value);
}

status no_integer_of_floats(dtype input, dtype output) {
  return {status_code::unsupported, "a sum of " + std::string(name(input)) + " has no " +
                                        std::string(name(output)) +
                                        " form; choose f16, bf16, f32 or f64"};
}

status does_not_fit(dtype output) {
  return {status_code::overflow, "the exact sum does not fit " + std::string(name(output)) +
                                     "; choose a wider output type, or f64, which rounds it"};
}

template <class Out>
status write_sum(const detail::integer_sum& sum, dtype, void* output) {
  if constexpr (std::is_same_v<Out, bool>) {
    return does_not_fit(dtype::boolean);
  } else {
    if constexpr (std::is_integral_v<Out>)
      if (!sum.fits<Out>()) return does_not_fit(dtype_of<Out>);
    store(output, sum.value<Out>());
    return {};
  }
}

template <class Out, class T>
status write_sum(const detail::wide_sum<T>& sum, dtype input, void* output) {
  if constexpr (std::is_integral_v<Out>)
    return no_integer_of_floats(input, dtype_of<Out>);
  else
    return store(output, sum.template value<Out>()), status{};
}

}  // namespace

status state::write(void* output, dtype type) const {
  return with_type(type, [&]<class Out>(detail::tag<Out>) {
    return std::visit([&](const auto& sum) { return write_sum<Out>(sum, input_, output); }, sum_);
  });
}

}  // namespace onefold
