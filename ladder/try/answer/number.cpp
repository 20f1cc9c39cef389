// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/answer/number.hpp"

#include "simt/half_bits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace onefold::ladder::learner {
namespace {

constexpr std::array<const char*, 4> words = {"sum", "product", "max", "min"};
constexpr std::array<const char*, 4> structs = {"sum", "product", "maximum", "minimum"};
constexpr std::array<const char*, 13> types = {
    "another type",   "int",    "unsigned",     "long long",     "unsigned long long",
    "float",          "double", "char",         "unsigned char", "short",
    "unsigned short", "__half", "__nv_bfloat16"};

/// A 16-bit floating type in the arithmetic of the device: rounded after every operation.
template <std::uint16_t Encode(float) noexcept, float Decode(std::uint16_t) noexcept>
struct small_float {
  std::uint16_t bits = 0;
  small_float() = default;
  explicit small_float(number value) : bits(Encode(static_cast<float>(value))) {}
  explicit operator number() const { return Decode(bits); }
};
using float16 = small_float<simt::half_bits_of, simt::float_of_half_bits>;
using bfloat16 = small_float<simt::bfloat16_bits_of, simt::float_of_bfloat16_bits>;

template <class T>
constexpr bool is_small_float = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

template <class List>
std::size_t index_in(const List& list, std::size_t first, std::string_view word,
                     std::string_view option) {
  for (std::size_t i = first; i < list.size(); ++i) {
    if (list[i] == word) return i;
  }
  throw std::invalid_argument(fmt::format("{} {}: use {}", option, word,
                                          fmt::join(list.begin() + first, list.end(), ", ")));
}

/// use(T{}) for the C++ type.
template <class Use>
auto visit(scalar type, Use&& use) {
  switch (type) {
  case scalar::uint32:
    return use(std::uint32_t{});
  case scalar::int64:
    return use(std::int64_t{});
  case scalar::uint64:
    return use(std::uint64_t{});
  case scalar::float32:
    return use(float{});
  case scalar::float64:
    return use(double{});
  case scalar::int8:
    return use(std::int8_t{});
  case scalar::uint8:
    return use(std::uint8_t{});
  case scalar::int16:
    return use(std::int16_t{});
  case scalar::uint16:
    return use(std::uint16_t{});
  case scalar::float16:
    return use(float16{});
  case scalar::bfloat16:
    return use(bfloat16{});
  case scalar::int32:
  case scalar::other:
    break;
  }
  return use(std::int32_t{});
}

/// Integers wrap, from any integer that 64 bits hold.
template <class T>
T to(number value) {
  if constexpr (!std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                    : static_cast<std::uint64_t>(value));
  }
}

// Signed overflow would be undefined here, and wraps on the device.
template <class T>
using arithmetic =
    std::conditional_t<!std::is_integral_v<T>, T,
                       std::conditional_t<(sizeof(T) > sizeof(int)), std::uint64_t, unsigned>>;

template <class T>
T fold_typed(reduction op, T a, T b) {
  using wide = arithmetic<T>;
  switch (op) {
  case reduction::product:
    return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
  case reduction::maximum:
    return a < b ? b : a;
  case reduction::minimum:
    return b < a ? b : a;
  case reduction::sum:
    break;
  }
  return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
}

template <class T>
T identity_typed(reduction op) {
  using limits = std::numeric_limits<T>;
  switch (op) {
  case reduction::product:
    return T(1);
  case reduction::maximum:
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  case reduction::minimum:
    return limits::has_infinity ? limits::infinity() : limits::max();
  case reduction::sum:
    break;
  }
  return T(0);
}

/// A small float is computed with as a float; the result is rounded where it is stored.
template <class T>
using computed = std::conditional_t<is_small_float<T>, float, T>;

}  // namespace

const char* to_string(reduction op) {
  return words[static_cast<std::size_t>(op)];
}

std::optional<reduction> reduction_in_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  std::vector<reduction> said;
  if (has("sum") || has("add") || has("plus") || has("total")) said.push_back(reduction::sum);
  if ((has("prod") && !has("dot")) || has("multiply") || has("multiplies") || name.ends_with("mul"))
    said.push_back(reduction::product);
  if (has("max")) said.push_back(reduction::maximum);
  if (has("min") && !has("minus")) said.push_back(reduction::minimum);
  return said.size() == 1 ? std::optional(said.front()) : std::nullopt;
}

const char* struct_name(reduction op) {
  return structs[static_cast<std::size_t>(op)];
}

reduction reduction_named(std::string_view word) {
  return static_cast<reduction>(index_in(words, 0, word, "--op"));
}

const char* to_string(scalar type) {
  return types[static_cast<std::size_t>(type)];
}

scalar scalar_named(std::string_view word) {
  return static_cast<scalar>(index_in(types, 1, word, "--type"));
}

unsigned size_bytes(scalar type) {
  return visit(type, [](auto zero) { return static_cast<unsigned>(sizeof(zero)); });
}

number load(scalar type, const void* at) {
  return visit(type, [at](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return static_cast<number>(value);
  });
}

void store(scalar type, void* at, number value) {
  visit(type, [=](auto zero) {
    const auto typed = to<decltype(zero)>(value);
    std::memcpy(at, &typed, sizeof(typed));
  });
}

number fold(reduction op, scalar type, number a, number b) {
  return visit(type, [=](auto zero) {
    using T = decltype(zero);
    using C = computed<T>;
    return static_cast<number>(to<T>(fold_typed(op, to<C>(a), to<C>(b))));
  });
}

number difference(scalar type, number a, number b) {
  return visit(type, [=](auto zero) {
    using T = decltype(zero);
    using C = computed<T>;
    using wide = arithmetic<C>;
    return static_cast<number>(
        to<T>(static_cast<C>(static_cast<wide>(to<C>(a)) - static_cast<wide>(to<C>(b)))));
  });
}

number identity(reduction op, scalar type) {
  return visit(type, [op](auto zero) {
    return static_cast<number>(identity_typed<computed<decltype(zero)>>(op));
  });
}

number lowest(scalar type) {
  return is_floating(type) ? -highest(type) : identity(reduction::maximum, type);
}

number highest(scalar type) {
  switch (type) {
  case scalar::float16:
    return 65504;
  case scalar::bfloat16:
    return 0x1.FEp127L;
  case scalar::float32:
    return std::numeric_limits<float>::max();
  case scalar::float64:
    return std::numeric_limits<double>::max();
  default:
    return identity(reduction::minimum, type);
  }
}

bool is_floating(scalar type) {
  return type == scalar::float32 || type == scalar::float64 || type == scalar::float16 ||
         type == scalar::bfloat16;
}

bool is_unsigned(scalar type) {
  return type == scalar::uint32 || type == scalar::uint64 || type == scalar::uint8 ||
         type == scalar::uint16;
}

unsigned exact_bits(scalar type) {
  switch (type) {
  case scalar::float16:
    return 11;
  case scalar::bfloat16:
    return 8;
  case scalar::float32:
    return 24;
  case scalar::float64:
    return 53;
  default:
    return 8 * size_bytes(type) - (is_unsigned(type) ? 0 : 1);
  }
}

std::string to_text(scalar type, number value) {
  return visit(type, [value](auto zero) {
    if (value != value) return std::string("nan");
    using T = decltype(zero);
    if constexpr (is_small_float<T>) {
      return fmt::format("{}", static_cast<float>(static_cast<number>(to<T>(value))));
    } else if constexpr (sizeof(T) < sizeof(int)) {
      return fmt::format("{}", static_cast<int>(to<T>(value)));
    } else {
      return fmt::format("{}", to<T>(value));
    }
  });
}

}  // namespace onefold::ladder::learner
