// SPDX-License-Identifier: Apache-2.0
#pragma once
// The entry of one kernel: its parameters are classified by the compiler, never by reading text.
// The text only names the fields of a struct (unit.cpp), and the compiler says what they are.

#include "ladder/try/device/components_of.hpp"

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace onefold::ladder::learner {

template <class P>
constexpr parameter parameter_of() {
  if constexpr (std::is_pointer_v<P>) {
    using target = std::remove_pointer_t<P>;
    return target_of<std::remove_cv_t<target>>(std::is_const_v<target> ? passed::const_pointer
                                                                       : passed::pointer);
  } else if constexpr (std::is_same_v<P, bool>) {
    return {passed::flag, scalar::other};
  } else if constexpr (std::is_integral_v<P> || std::is_enum_v<P>) {
    return {passed::integer, scalar::other};
  } else if constexpr (std::is_floating_point_v<P> || scalar_of<P>() != scalar::other) {
    return {passed::real, scalar_of<P>()};
  } else if constexpr (std::is_class_v<P> && std::is_default_constructible_v<P> &&
                       std::is_copy_constructible_v<P>) {
    return {passed::structure, scalar::other};
  } else {
    return {passed::other, scalar::other};
  }
}

template <class P>
P value_of(const argument& given) {
  if constexpr (std::is_pointer_v<P>) {
    return static_cast<P>(given.pointer);
  } else if constexpr (parameter_of<P>().kind == passed::real) {
    return static_cast<P>(static_cast<float>(given.real));
  } else if constexpr (std::is_class_v<P>) {
    return P{};
  } else {
    return static_cast<P>(given.integer);
  }
}

/// The arguments that one parameter takes: one, or one for each field.
template <class P>
struct parts_of {
  using fields = decltype(fields_of<P>::template list<P>());
  static constexpr unsigned fields_count = std::tuple_size_v<fields>;

  template <std::size_t I>
  using field = field_type<decltype(std::get<I>(fields{}))>;

  template <std::size_t... I>
  static constexpr bool all_simple(std::index_sequence<I...>) {
    return (simple<field<I>>() && ...);
  }
  template <class F>
  static constexpr bool simple() {
    constexpr passed kind = parameter_of<F>().kind;
    return std::is_assignable_v<F&, F> && kind != passed::structure && kind != passed::other;
  }
  static constexpr bool flat = [] {
    if constexpr (fields_count == 0) {
      return false;
    } else {
      return parameter_of<P>().kind == passed::structure &&
             all_simple(std::make_index_sequence<fields_count>());
    }
  }();
  static constexpr unsigned count = flat ? fields_count : 1;

  static constexpr void put(parameter* to, unsigned position) {
    if constexpr (flat) {
      [=]<std::size_t... I>(std::index_sequence<I...>) {
        ((to[I] = parameter_of<field<I>>(), to[I].field = I, to[I].is_field = true), ...);
      }
      (std::make_index_sequence<fields_count>());
    } else {
      to[0] = parameter_of<P>();
    }
    for (unsigned i = 0; i < count; ++i) to[i].position = position;
  }

  static P value(const argument* given) {
    if constexpr (flat) {
      P made{};
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        constexpr fields members = fields_of<P>::template list<P>();
        ((made.*std::get<I>(members) = value_of<field<I>>(given[I])), ...);
      }
      (std::make_index_sequence<fields_count>());
      return made;
    } else {
      return value_of<P>(given[0]);
    }
  }
};

template <class... P>
struct parameter_list {
  static constexpr unsigned count = (parts_of<P>::count + ... + 0);
  static constexpr bool can_launch = ((parameter_of<P>().kind != passed::other) && ...);
  // One more, because an array has at least one element.
  static constexpr std::array<parameter, count + 1> list() {
    std::array<parameter, count + 1> all{};
    unsigned first = 0, position = 0;
    ((parts_of<P>::put(all.data() + first, position++), first += parts_of<P>::count), ...);
    return all;
  }
  static constexpr std::array<unsigned, sizeof...(P) + 1> offsets() {
    std::array<unsigned, sizeof...(P) + 1> all{};
    unsigned first = 0, i = 0;
    ((all[i++] = first, first += parts_of<P>::count), ...);
    return all;
  }
};

template <auto Kernel>
struct kernel_of;

template <class... P, void (*Kernel)(P...)>
struct kernel_of<Kernel> {
  using list = parameter_list<P...>;
  static constexpr auto parameters = list::list();

  template <std::size_t... I>
  static void launch_with(simt::executor& device, const simt::launch_config& config,
                          const argument* given, std::index_sequence<I...>) {
    constexpr auto offsets = list::offsets();
    simt::launch(device, config,
                 [... values = parts_of<P>::value(given + offsets[I])] { Kernel(values...); });
  }

  static void launch(simt::executor& device, const simt::launch_config& config,
                     const argument* given) {
    launch_with(device, config, given, std::index_sequence_for<P...>());
  }

  static constexpr entry made() {
    if constexpr (list::can_launch) {
      return {parameters.data(), list::count, &launch};
    } else {
      return {parameters.data(), list::count, nullptr};
    }
  }
};

}  // namespace onefold::ladder::learner
