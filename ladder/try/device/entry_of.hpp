// SPDX-License-Identifier: Apache-2.0
#pragma once
// The entry of one kernel: its parameters are classified by the compiler, never by reading text.

#include "ladder/try/launch/entry.hpp"

#include <type_traits>
#include <utility>

namespace onefold::ladder::learner {

template <class T>
constexpr scalar scalar_of() {
  if (std::is_same_v<T, float>) return scalar::float32;
  if (std::is_same_v<T, double>) return scalar::float64;
  if constexpr (std::is_integral_v<T>) {
    if (sizeof(T) == 4) return std::is_signed_v<T> ? scalar::int32 : scalar::uint32;
    if (sizeof(T) == 8) return std::is_signed_v<T> ? scalar::int64 : scalar::uint64;
  }
  return scalar::other;
}

template <class P>
constexpr parameter parameter_of() {
  using target = std::remove_pointer_t<P>;
  constexpr scalar type = scalar_of<std::remove_cv_t<target>>();
  if (std::is_pointer_v<P>) {
    return {std::is_const_v<target> ? passed::const_pointer : passed::pointer, type};
  }
  if (std::is_same_v<P, bool>) return {passed::flag, type};
  return {std::is_integral_v<P> ? passed::integer : passed::other, type};
}

template <class P>
P value_of(const argument& given) {
  if constexpr (std::is_pointer_v<P>) {
    return static_cast<P>(given.pointer);
  } else {
    return static_cast<P>(given.integer);
  }
}

template <auto Kernel>
struct kernel_of;

template <class... P, void (*Kernel)(P...)>
struct kernel_of<Kernel> {
  static constexpr bool can_launch = ((parameter_of<P>().how != passed::other) && ...);
  // One more, because an array has at least one element.
  static constexpr parameter parameters[sizeof...(P) + 1] = {parameter_of<P>()...};

  template <std::size_t... I>
  static void launch_with(simt::executor& device, const simt::launch_config& config,
                          const argument* given, std::index_sequence<I...>) {
    simt::launch(device, config, [... values = value_of<P>(given[I])] { Kernel(values...); });
  }

  static void launch(simt::executor& device, const simt::launch_config& config,
                     const argument* given) {
    launch_with(device, config, given, std::index_sequence_for<P...>());
  }

  static constexpr entry made() {
    if constexpr (can_launch) {
      return {parameters, sizeof...(P), &launch};
    } else {
      return {parameters, sizeof...(P), nullptr};
    }
  }
};

}  // namespace onefold::ladder::learner
