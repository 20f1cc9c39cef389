// SPDX-License-Identifier: Apache-2.0
// What is asked. An operator is a name here, a state in src/state and a rounding in src/finish.
#pragma once

#include <optional>
#include <string_view>

#include "onefold/dtype.hpp"

namespace onefold {

enum class op : unsigned char { sum };

inline constexpr op all_ops[] = {op::sum};

constexpr std::string_view name(op what) noexcept {
  constexpr std::string_view names[] = {"sum"};
  return names[static_cast<unsigned>(what)];
}

/// The operator of a name as the command line writes it, if there is one.
std::optional<op> parse_op(std::string_view text) noexcept;

/// The type of the answer where none is asked for: NumPy's. Integers widen to 64 bits, floating
/// types keep theirs.
constexpr dtype default_output(op, dtype input) noexcept {
  if (is_floating(input)) return input;
  return is_unsigned(input) ? dtype::u64 : dtype::i64;
}

namespace detail {
template <dtype>
struct type_of_t;
// clang-format off
template <> struct type_of_t<dtype::i64> { using type = std::int64_t; };
template <> struct type_of_t<dtype::u64> { using type = std::uint64_t; };
template <> struct type_of_t<dtype::f16> { using type = f16; };
template <> struct type_of_t<dtype::bf16> { using type = bf16; };
template <> struct type_of_t<dtype::f32> { using type = float; };
template <> struct type_of_t<dtype::f64> { using type = double; };
// clang-format on
}  // namespace detail

/// The C++ type of a sum of T where none is asked for.
template <element T>
using sum_type = typename detail::type_of_t<default_output(op::sum, dtype_of<T>)>::type;

}  // namespace onefold
