// SPDX-License-Identifier: Apache-2.0
// The thirteen element types, with their sizes and names.
//
// f16 and bf16 are our own storage types, because neither g++ 12 nor clang 14 offers both: they
// hold bits and do no arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "onefold/detail/config.hpp"

namespace onefold {

/// IEEE binary16, as bits.
struct f16 {
  std::uint16_t bits = 0;
  friend bool operator==(f16, f16) = default;
};

/// bfloat16: the upper half of a binary32, as bits.
struct bf16 {
  std::uint16_t bits = 0;
  friend bool operator==(bf16, bf16) = default;
};

enum class dtype : unsigned char {
  boolean,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64
};

inline constexpr dtype all_dtypes[] = {
    dtype::boolean, dtype::i8,  dtype::i16, dtype::i32,  dtype::i64, dtype::u8, dtype::u16,
    dtype::u32,     dtype::u64, dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

/// The size of one element in bytes.
constexpr std::size_t size_bytes(dtype type) noexcept {
  switch (type) {
  case dtype::boolean:
  case dtype::i8:
  case dtype::u8:
    return 1;
  case dtype::i16:
  case dtype::u16:
  case dtype::f16:
  case dtype::bf16:
    return 2;
  case dtype::i32:
  case dtype::u32:
  case dtype::f32:
    return 4;
  case dtype::i64:
  case dtype::u64:
  case dtype::f64:
    return 8;
  }
  return 0;
}

constexpr bool is_floating(dtype type) noexcept {
  return type >= dtype::f16;
}
constexpr bool is_unsigned(dtype type) noexcept {
  return type >= dtype::u8 && type <= dtype::u64;
}
constexpr bool is_signed_integer(dtype type) noexcept {
  return type >= dtype::i8 && type <= dtype::i64;
}

/// The short name: "bool", "i32", "bf16" …
constexpr std::string_view name(dtype type) noexcept {
  constexpr std::string_view names[] = {"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                        "u32",  "u64", "f16", "bf16", "f32", "f64"};
  return names[static_cast<std::size_t>(type)];
}

/// The type of a short name or of NumPy's name for it ("float32", "f4", "<f4"), if there is one.
/// "i8" and "u8" have 8 bits, "<i8" and "<u8" have NumPy's 8 bytes. The byte order is this
/// machine's.
ONEFOLD_API std::optional<dtype> parse_dtype(std::string_view text) noexcept;

namespace detail {
template <class T>
struct dtype_of_t;
// The standard integer types by their sizes: std::int64_t is long on Linux and long long elsewhere,
// and both are element types; long has 32 bits on Windows and on 32-bit machines.
// clang-format off
template <> struct dtype_of_t<bool> { static constexpr dtype value = dtype::boolean; };
template <> struct dtype_of_t<signed char> { static constexpr dtype value = dtype::i8; };
template <> struct dtype_of_t<short> { static constexpr dtype value = dtype::i16; };
template <> struct dtype_of_t<int> { static constexpr dtype value = dtype::i32; };
template <> struct dtype_of_t<long> {
  static constexpr dtype value = sizeof(long) == 8 ? dtype::i64 : dtype::i32;
};
template <> struct dtype_of_t<long long> { static constexpr dtype value = dtype::i64; };
template <> struct dtype_of_t<unsigned char> { static constexpr dtype value = dtype::u8; };
template <> struct dtype_of_t<unsigned short> { static constexpr dtype value = dtype::u16; };
template <> struct dtype_of_t<unsigned> { static constexpr dtype value = dtype::u32; };
template <> struct dtype_of_t<unsigned long> {
  static constexpr dtype value = sizeof(long) == 8 ? dtype::u64 : dtype::u32;
};
template <> struct dtype_of_t<unsigned long long> { static constexpr dtype value = dtype::u64; };
template <> struct dtype_of_t<f16> { static constexpr dtype value = dtype::f16; };
template <> struct dtype_of_t<bf16> { static constexpr dtype value = dtype::bf16; };
template <> struct dtype_of_t<float> { static constexpr dtype value = dtype::f32; };
template <> struct dtype_of_t<double> { static constexpr dtype value = dtype::f64; };
// clang-format on
}  // namespace detail

/// The dtype of a C++ element type.
template <class T>
inline constexpr dtype dtype_of = detail::dtype_of_t<T>::value;

/// A C++ type that is an element type.
template <class T>
concept element = requires {
  detail::dtype_of_t<T>::value;
};

namespace detail {
// A tag that passes the type T to a generic lambda: visit([]<class T>(tag<T>) { … }).
template <class T>
struct tag {
  using type = T;
};
}  // namespace detail

/// Calls f(tag<T>) with the C++ type of `type`.
template <class F>
constexpr decltype(auto) with_type(dtype type, F&& f) {
  switch (type) {
  case dtype::boolean:
    return f(detail::tag<bool>{});
  case dtype::i8:
    return f(detail::tag<std::int8_t>{});
  case dtype::i16:
    return f(detail::tag<std::int16_t>{});
  case dtype::i32:
    return f(detail::tag<std::int32_t>{});
  case dtype::i64:
    return f(detail::tag<std::int64_t>{});
  case dtype::u8:
    return f(detail::tag<std::uint8_t>{});
  case dtype::u16:
    return f(detail::tag<std::uint16_t>{});
  case dtype::u32:
    return f(detail::tag<std::uint32_t>{});
  case dtype::u64:
    return f(detail::tag<std::uint64_t>{});
  case dtype::f16:
    return f(detail::tag<f16>{});
  case dtype::bf16:
    return f(detail::tag<bf16>{});
  case dtype::f32:
    return f(detail::tag<float>{});
  case dtype::f64:
    break;
  }
  return f(detail::tag<double>{});
}

}  // namespace onefold
