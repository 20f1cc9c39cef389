// SPDX-License-Identifier: Apache-2.0
// Parses the names of element types and operators.
#include "onefold/dtype.hpp"

#include <bit>
#include <utility>

#include "onefold/op.hpp"

namespace onefold {
namespace {

// The names of NumPy and C, in addition to our short ones.
constexpr std::pair<std::string_view, dtype> other_names[] = {
    {"boolean", dtype::boolean}, {"int8", dtype::i8},    {"int16", dtype::i16},
    {"int32", dtype::i32},       {"int64", dtype::i64},  {"uint8", dtype::u8},
    {"uint16", dtype::u16},      {"uint32", dtype::u32}, {"uint64", dtype::u64},
    {"float16", dtype::f16},     {"half", dtype::f16},   {"bfloat16", dtype::bf16},
    {"float32", dtype::f32},     {"float", dtype::f32},  {"float64", dtype::f64},
    {"double", dtype::f64},      {"single", dtype::f32}, {"bool_", dtype::boolean},
    {"f2", dtype::f16},          {"f4", dtype::f32},     {"f8", dtype::f64},
    {"i1", dtype::i8},           {"i2", dtype::i16},     {"i4", dtype::i32},
    {"u1", dtype::u8},           {"u2", dtype::u16},     {"u4", dtype::u32},
    {"b1", dtype::boolean},
};

// NumPy's codes count bytes, so i8 is a 64-bit integer there. A byte-order character in front
// identifies a NumPy code.
constexpr std::pair<std::string_view, dtype> codes_of_eight_bytes[] = {{"i8", dtype::i64},
                                                                       {"u8", dtype::u64}};

// "=", "|", and the character of this machine's byte order.
bool is_native_order(char sign) {
  constexpr char here = std::endian::native == std::endian::little ? '<' : '>';
  return sign == '=' || sign == '|' || sign == here;
}

}  // namespace

std::optional<dtype> parse_dtype(std::string_view text) noexcept {
  for (dtype type : all_dtypes)
    if (name(type) == text) return type;
  if (!text.empty() && is_native_order(text[0])) {
    text.remove_prefix(1);
    for (const auto& [code, type] : codes_of_eight_bytes)
      if (code == text) return type;
  }
  for (const auto& [other, type] : other_names)
    if (other == text) return type;
  return std::nullopt;
}

std::optional<op> parse_op(std::string_view text) noexcept {
  for (op op : all_ops)
    if (name(op) == text) return op;
  return std::nullopt;
}

}  // namespace onefold
