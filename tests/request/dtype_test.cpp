// SPDX-License-Identifier: Apache-2.0
// Names, sizes and kinds of the element types, and of the operators.
#include "onefold/dtype.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "onefold/array_view.hpp"
#include "onefold/op.hpp"

namespace onefold::test {
namespace {

TEST(dtype, is_read_back_from_its_name) {
  for (const dtype type : all_dtypes) EXPECT_EQ(parse_dtype(name(type)), type) << name(type);
}

TEST(dtype, is_read_from_the_names_of_numpy_and_c) {
  const std::pair<const char*, dtype> names[] = {
      {"boolean", dtype::boolean}, {"int8", dtype::i8},    {"int16", dtype::i16},
      {"int32", dtype::i32},       {"int64", dtype::i64},  {"uint8", dtype::u8},
      {"uint16", dtype::u16},      {"uint32", dtype::u32}, {"uint64", dtype::u64},
      {"float16", dtype::f16},     {"half", dtype::f16},   {"bfloat16", dtype::bf16},
      {"float32", dtype::f32},     {"float", dtype::f32},  {"float64", dtype::f64},
      {"double", dtype::f64}};
  for (const auto& [text, type] : names) EXPECT_EQ(parse_dtype(text), type) << text;
}

TEST(dtype, is_not_read_from_anything_else) {
  for (const dtype type : all_dtypes) {
    const std::string right(name(type));
    std::string upper = right;
    for (char& c : upper) c = char(std::toupper(c));
    for (const std::string& wrong :
         {right + " ", " " + right, right + "8", upper, "x" + right, right + std::string(1, '\0')})
      EXPECT_FALSE(parse_dtype(wrong)) << '"' << wrong << '"';
  }
  for (const char* wrong : {"", "f", "i", "int", "f128", "complex64", "<f16", ">f8", "<", "object"})
    EXPECT_FALSE(parse_dtype(wrong)) << wrong;
}

TEST(dtype, has_the_size_and_the_type_that_with_type_gives) {
  for (const dtype type : all_dtypes)
    with_type(type, [&]<class T>(detail::tag<T>) {
      EXPECT_EQ(dtype_of<T>, type);
      EXPECT_EQ(sizeof(T), size_bytes(type));
      EXPECT_EQ(std::is_integral_v<T>, !is_floating(type));
      EXPECT_EQ(is_signed_integer(type), std::is_integral_v<T> && std::is_signed_v<T>);
      EXPECT_EQ(is_unsigned(type),
                (std::is_integral_v<T> && std::is_unsigned_v<T> && !std::is_same_v<T, bool>));
    });
}

TEST(dtype, is_known_for_every_cpp_type_of_that_width) {
  static_assert(dtype_of<long long> == dtype::i64 && dtype_of<unsigned long long> == dtype::u64);
  static_assert(dtype_of<long> == dtype::i64 && dtype_of<int> == dtype::i32);
  static_assert(!element<long double> && !element<char*> && element<bool>);
}

TEST(op, is_read_back_from_its_name_and_from_nothing_else) {
  for (const op op : all_ops) EXPECT_EQ(parse_op(name(op)), op);
  for (const char* wrong : {"", "Sum", "sum ", "su", "means"})
    EXPECT_FALSE(parse_op(wrong)) << wrong;
}

TEST(op, sum_widens_integers_to_64_bits_and_keeps_floats) {
  for (const dtype type : all_dtypes) {
    const dtype expected = is_floating(type) ? type : is_unsigned(type) ? dtype::u64 : dtype::i64;
    EXPECT_EQ(default_output(op::sum, type), expected) << name(type);
  }
  static_assert(std::is_same_v<answer_type<op::sum, bool>, std::int64_t>);
  static_assert(std::is_same_v<answer_type<op::sum, std::uint8_t>, std::uint64_t>);
  static_assert(std::is_same_v<answer_type<op::sum, f16>, f16>);
}

TEST(array_view, of_a_range_has_its_place_type_and_length) {
  const std::vector<float> x(7);
  const array_view view(x);
  EXPECT_EQ(view.data(), x.data());
  EXPECT_EQ(view.type(), dtype::f32);
  EXPECT_EQ(view.axes(), (axis_list{{7, 4}}));
}

TEST(array_view, copies_the_axes_that_it_has_and_no_others) {
  axis_list axes;
  for (int i = 0; i < max_rank; ++i) axes.push_back({i, -i});
  const array_view view(nullptr, dtype::i8, axes);
  array_view copy(nullptr, dtype::f64, {});
  EXPECT_EQ(copy.rank(), 0);
  copy = view;
  EXPECT_EQ(copy.axes(), axes);
  EXPECT_EQ(copy.rank(), max_rank);
}

}  // namespace
}  // namespace onefold::test
