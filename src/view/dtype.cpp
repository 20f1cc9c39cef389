// SPDX-License-Identifier: Apache-2.0
// Names of element types and operators, read back.
#include "onefold/dtype.hpp"

#include <utility>

#include "onefold/op.hpp"

namespace onefold {
namespace {

// What NumPy and C users call them, beside our short names.
constexpr std::pair<std::string_view, dtype> other_names[] = {
    {"boolean", dtype::boolean}, {"int8", dtype::i8},    {"int16", dtype::i16},
    {"int32", dtype::i32},       {"int64", dtype::i64},  {"uint8", dtype::u8},
    {"uint16", dtype::u16},      {"uint32", dtype::u32}, {"uint64", dtype::u64},
    {"float16", dtype::f16},     {"half", dtype::f16},   {"bfloat16", dtype::bf16},
    {"float32", dtype::f32},     {"float", dtype::f32},  {"float64", dtype::f64},
    {"double", dtype::f64},
};

}  // namespace

std::optional<dtype> parse_dtype(std::string_view text) noexcept {
  for (dtype type : all_dtypes)
    if (name(type) == text) return type;
  for (const auto& [other, type] : other_names)
    if (other == text) return type;
  return std::nullopt;
}

std::optional<op> parse_op(std::string_view text) noexcept {
  for (op what : all_ops)
    if (name(what) == text) return what;
  return std::nullopt;
}

}  // namespace onefold
