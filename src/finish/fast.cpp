// SPDX-License-Identifier: Apache-2.0
#include "finish/fast.hpp"

#include <cstring>
#include <string>
#include <type_traits>

#include "onefold/exact.hpp"

namespace onefold {
namespace {

template <class Out>
void store(void* output, Out value) {
  std::memcpy(output, &value, sizeof value);
}

// A one-element exact sum is a conversion that rounds once, in any format and any environment.
template <class Out, class Accumulator>
Out converted(Accumulator value) {
  exact_sum<Accumulator> one;
  one.add(value);
  return one.template value<Out>();
}

template <class Out>
Out converted_integer(std::uint64_t wrapped, bool is_signed) {
  exact_sum<std::int64_t> one;
  if (is_signed)
    one.add(std::int64_t(wrapped));
  else
    one.add(wrapped);
  return one.value<Out>();
}

}  // namespace

status
write_fast(const std::variant<fast_sum<float>, fast_sum<double>, fast_sum<std::uint64_t>>& sum,
           dtype input, void* output, dtype type) {
  return with_type(type, [&]<class Out>(detail::tag<Out>) -> status {
    if constexpr (std::is_integral_v<Out>)
      if (is_floating(input) || std::is_same_v<Out, bool>)
        return {status_code::unsupported, "a fast sum of " + std::string(name(input)) + " has no " +
                                              std::string(name(dtype_of<Out>)) +
                                              " form; choose a floating output type"};
    std::visit(
        [&](const auto& tree) {
          const auto value = tree.value();
          if constexpr (std::is_integral_v<decltype(tree.value())>)
            store(output, converted_integer<Out>(value, !is_unsigned(input)));
          else if constexpr (!std::is_integral_v<Out>)
            store(output, converted<Out>(value));
        },
        sum);
    return {};
  });
}

}  // namespace onefold
