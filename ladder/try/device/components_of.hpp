// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a pointer of a kernel points to: a number, a vector of numbers, or a struct of these. The
// text names a struct's fields (source/unit.cpp), and the compiler says what they are.

#include "ladder/try/launch/entry.hpp"

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace onefold::ladder::learner {

/// Specialised for structs whose fields have been read: a tuple of member pointers, their names and
/// the struct's.
template <class T>
struct fields_of {
  static constexpr const char* name = nullptr;
  static constexpr const char* names[] = {nullptr};
  template <class S>
  static constexpr std::tuple<> list() {
    return {};
  }
};

template <class T>
struct field_type_of;
template <class S, class F>
struct field_type_of<F S::*> {
  using type = F;
};
template <class Pointer>
using field_type = typename field_type_of<std::remove_cvref_t<Pointer>>::type;

template <class T>
constexpr scalar scalar_of() {
  if (std::is_same_v<T, float>) return scalar::float32;
  if (std::is_same_v<T, double>) return scalar::float64;
  if (std::is_same_v<T, __half>) return scalar::float16;
  if (std::is_same_v<T, __nv_bfloat16>) return scalar::bfloat16;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr bool has_sign = std::is_signed_v<T>;
    if (sizeof(T) == 1) return has_sign ? scalar::int8 : scalar::uint8;
    if (sizeof(T) == 2) return has_sign ? scalar::int16 : scalar::uint16;
    if (sizeof(T) == 4) return has_sign ? scalar::int32 : scalar::uint32;
    if (sizeof(T) == 8) return has_sign ? scalar::int64 : scalar::uint64;
  }
  return scalar::other;
}

/// A vector of up to four, x, y, z and w.
template <class T>
constexpr bool is_vector() {
  if constexpr (std::is_class_v<T> && requires(T v) { v.x, v.y; }) {
    using number = std::remove_cv_t<decltype(T::x)>;
    return sizeof(T) % sizeof(number) == 0 && sizeof(T) / sizeof(number) <= 4 &&
           scalar_of<number>() != scalar::other;
  } else {
    return false;
  }
}

template <class T>
constexpr bool has_fields() {
  if constexpr (!std::is_class_v<T>) {
    return false;
  } else {
    return std::tuple_size_v<decltype(fields_of<T>::template list<T>())> != 0;
  }
}

/// The numbers of a struct, one after another.
struct component_list {
  static constexpr unsigned most = 64;
  std::array<component, most> items{};
  unsigned count = 0;
  const char* bad_field = nullptr;

  constexpr void add(const component& c) {
    if (count == most) {
      bad_field = c.field;
    } else {
      items[count++] = c;
    }
  }
};

struct component_place {
  unsigned offset;
  const char *field, *part;
};

inline constexpr std::array<const char*, 16> bracketed = {
    "[0]", "[1]", "[2]",  "[3]",  "[4]",  "[5]",  "[6]",  "[7]",
    "[8]", "[9]", "[10]", "[11]", "[12]", "[13]", "[14]", "[15]"};
inline constexpr std::array<const char*, 4> vector_names = {"x", "y", "z", "w"};

template <class S>
constexpr void add_fields(component_list& to, component_place place);

template <class F>
constexpr void add_field(component_list& to, component_place at) {
  using type = std::remove_cv_t<F>;
  if constexpr (scalar_of<type>() != scalar::other) {
    to.add({scalar_of<type>(), at.offset, at.field, at.part});
  } else if constexpr (std::is_array_v<type>) {
    using item = std::remove_extent_t<type>;
    constexpr std::size_t size = std::extent_v<type>;
    if (size > bracketed.size()) to.bad_field = at.field;
    for (unsigned i = 0; i < size && i < bracketed.size(); ++i) {
      const auto offset = static_cast<unsigned>(at.offset + i * sizeof(item));
      add_field<item>(to, {offset, at.field, bracketed[i]});
    }
  } else if constexpr (has_fields<type>()) {
    add_fields<type>(to, at);
  } else if constexpr (is_vector<type>()) {
    using number = std::remove_cv_t<decltype(type::x)>;
    for (unsigned i = 0; i < sizeof(type) / sizeof(number); ++i) {
      const auto offset = static_cast<unsigned>(at.offset + i * sizeof(number));
      to.add({scalar_of<number>(), offset, at.field, vector_names[i]});
    }
  } else {
    to.bad_field = at.field;
  }
}

/// Fields are where C puts them: each at the next multiple of its alignment. A struct that is
/// longer has others.
template <class S>
constexpr void add_fields(component_list& to, component_place place) {
  constexpr auto members = fields_of<S>::template list<S>();
  const auto behind = [](std::size_t at, std::size_t alignment) {
    return (at + alignment - 1) / alignment * alignment;
  };
  std::size_t at = 0;
  const auto add = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    using type = field_type<decltype(std::get<I>(members))>;
    at = behind(at, alignof(type));
    const char* const name = fields_of<S>::names[I];
    const auto offset = static_cast<unsigned>(place.offset + at);
    add_field<type>(to, place.field == nullptr ? component_place{offset, name, ""}
                                               : component_place{offset, place.field, name});
    at += sizeof(type);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(members)>>());
  if (behind(at, alignof(S)) != sizeof(S)) to.bad_field = fields_of<S>::names[0];
}

template <class T>
struct components_of {
  static constexpr component_list list = [] {
    component_list made;
    add_fields<T>(made, {0, nullptr, ""});
    return made;
  }();
};

template <class T>
constexpr parameter target_of(passed kind) {
  if constexpr (std::is_void_v<T>) {
    return {kind, scalar::other};
  } else if constexpr (has_fields<T>()) {
    constexpr const component_list& list = components_of<T>::list;
    constexpr bool good = list.bad_field == nullptr;
    parameter p{kind, good ? list.items[0].type : scalar::other, 1, sizeof(T)};
    p.struct_name = fields_of<T>::name;
    p.components = good ? list.items.data() : nullptr;
    p.component_count = good ? list.count : 0;
    p.bad_field = list.bad_field;
    return p;
  } else if constexpr (is_vector<T>()) {
    using number = std::remove_cv_t<decltype(T::x)>;
    return {kind, scalar_of<number>(), sizeof(T) / sizeof(number), sizeof(T)};
  } else {
    return {kind, scalar_of<T>(), 1, sizeof(T)};
  }
}

}  // namespace onefold::ladder::learner
