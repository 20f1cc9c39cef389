// SPDX-License-Identifier: Apache-2.0
// The C interface: the program in C, its numbers against those of C++, messages of each thread.
#include "onefold/onefold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "onefold/onefold.hpp"

extern "C" int c_interface_failures(void);

namespace onefold::test {
namespace {

// The enumerators of onefold_op in their order, as names of the command line.
std::vector<std::string> operators_of_the_header() {
  std::ifstream file(ONEFOLD_SOURCE_ROOT "/include/onefold/onefold.h");
  std::string text(std::istreambuf_iterator<char>(file), {});
  text.resize(std::min(text.size(), text.find("} onefold_op;")));
  text.erase(0, text.rfind('{') + 1);
  const std::regex enumerator("ONEFOLD_(\\w+)");
  std::vector<std::string> names;
  for (std::sregex_iterator each(text.begin(), text.end(), enumerator), end; each != end; ++each) {
    names.push_back((*each)[1]);
    for (char& letter : names.back()) letter = char(std::tolower(letter));
  }
  return names;
}

TEST(c_interface, keeps_its_promises_to_a_program_in_c) {
  EXPECT_EQ(c_interface_failures(), 0);
}

// Every operator and type has one number on both sides.
TEST(c_interface, has_the_numbers_of_the_enumerators) {
  const auto ops = operators_of_the_header();
  ASSERT_EQ(ops.size(), std::size(all_ops));
  for (std::size_t i = 0; i < ops.size(); ++i) EXPECT_EQ(ops[i], name(all_ops[i])) << i;
  EXPECT_EQ(int(ONEFOLD_SUM), int(op::sum));
  EXPECT_EQ(int(ONEFOLD_LOGSUMEXP), int(op::logsumexp));
  constexpr onefold_dtype types[] = {
      ONEFOLD_BOOL, ONEFOLD_I8,  ONEFOLD_I16, ONEFOLD_I32,  ONEFOLD_I64, ONEFOLD_U8, ONEFOLD_U16,
      ONEFOLD_U32,  ONEFOLD_U64, ONEFOLD_F16, ONEFOLD_BF16, ONEFOLD_F32, ONEFOLD_F64};
  ASSERT_EQ(std::size(types), std::size(all_dtypes));
  for (std::size_t i = 0; i < std::size(types); ++i)
    EXPECT_EQ(int(types[i]), int(all_dtypes[i])) << i;
  for (int code = 0; code <= int(status_code::device_error); ++code)
    EXPECT_NE(name(status_code(code)), "") << code;
  EXPECT_EQ(int(ONEFOLD_IO_ERROR), int(status_code::io_error));
  EXPECT_EQ(int(ONEFOLD_NOT_A_NUMBER), int(status_code::not_a_number));
  EXPECT_EQ(int(ONEFOLD_CANCELLED), int(status_code::cancelled));
}

// Every operator over every type gives the status and the bits of the C++ interface.
TEST(c_interface, gives_the_answers_of_the_cpp_api) {
  alignas(8) unsigned char memory[8 * 40];
  for (std::size_t i = 0; i < sizeof memory; ++i) memory[i] = (unsigned char)(i * 37 % 120);
  const std::int64_t extents[] = {8, 5}, two = 2;
  for (const dtype type : all_dtypes)
    for (const op op : all_ops) {
      const onefold_array x = {memory, onefold_dtype(type), 2, extents, nullptr};
      const onefold_array views[] = {x, x};
      const dtype output = default_output(op, type);
      std::uint64_t got[2] = {}, right[2] = {};
      const onefold_array place = {got, onefold_dtype(output), answers_of(op) - 1, &two, nullptr};
      const auto done = onefold_reduce(onefold_op(op), views, inputs_of(op), &place, nullptr);
      const array_view view(memory, type, row_major(extents, std::int64_t(size_bytes(type))));
      output_view to(right, output);
      if (answers_of(op) > 1) to = {right, output, {{2, std::int64_t(size_bytes(output))}}};
      const auto expected =
          op == op::dot ? reduce({}, op, {view, view}, to) : reduce({}, op, {view}, to);
      EXPECT_EQ(int(done), int(expected.code())) << name(op) << " of " << name(type);
      EXPECT_EQ(got[0], right[0]) << name(op) << " of " << name(type);
      EXPECT_EQ(got[1], right[1]) << name(op) << " of " << name(type);
      if (!expected.ok()) {
        EXPECT_EQ(onefold_last_message(), expected.message());
      }
    }
}

TEST(c_interface, keeps_the_messages_of_threads_apart) {
  EXPECT_NE(onefold_sum_f64(nullptr, 1, nullptr), ONEFOLD_OK);
  const std::string message = onefold_last_message();
  EXPECT_NE(message, "");
  std::jthread([] { EXPECT_STREQ(onefold_last_message(), ""); }).join();
  const double x[] = {1};
  double sum = 0;
  EXPECT_EQ(onefold_sum_f64(x, 1, &sum), ONEFOLD_OK);
  EXPECT_EQ(onefold_last_message(), message) << "it holds until the next failure";
}

TEST(c_interface, catches_what_a_stop_function_throws) {
  const double x[] = {1};
  const std::int64_t one = 1;
  double sum = -1;
  const onefold_array in = {const_cast<double*>(x), ONEFOLD_F64, 1, &one, nullptr};
  const onefold_array out = {&sum, ONEFOLD_F64, 0, nullptr, nullptr};
  onefold_options how = {};
  how.size = sizeof how;
  how.stop = [](void*) -> int { throw 1; };
  EXPECT_EQ(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE);
  how.stop = [](void*) -> int { throw std::bad_alloc(); };
  EXPECT_EQ(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_OUT_OF_MEMORY);
  EXPECT_EQ(sum, -1);
}

}  // namespace
}  // namespace onefold::test
