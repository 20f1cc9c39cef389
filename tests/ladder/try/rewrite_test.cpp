// SPDX-License-Identifier: Apache-2.0
// The CUDA that is no C++ goes, and every line stays where it is.

#include "ladder/try/source/rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace onefold::ladder::learner::test {
namespace {

std::string rewrite(const std::string& text) {
  const std::string result = rewritten(text, tokens_of(text));
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'))
      << text;
  return result;
}

const std::string memory = "(::onefold::simt::dynamic_shared_memory());";

TEST(launches, become_an_expression_that_does_nothing) {
  EXPECT_EQ(rewrite("k<<<1, 2>>>(a, b);"), "((void)0);");
  EXPECT_EQ(rewrite("if (x) k<<<g, b, 4, s>>>(f(a), \">>>\");"), "if (x) ((void)0);");
  EXPECT_EQ(rewrite("CHECK((book::k<<<1, 2>>>()));"), "CHECK((((void)0)));");
}

TEST(launches, of_templates_are_taken_with_their_arguments) {
  EXPECT_EQ(rewrite("return a::k<int, b<3>, (1 > 0)> <<<1, 2>>>(x);"), "return ((void)0);");
}

TEST(launches, over_several_lines_keep_them) {
  EXPECT_EQ(rewrite("k<<<grid,\n  block>>>(a,\n  b); next();"), "((void)0)\n\n; next();");
}

TEST(launches, in_comments_strings_and_macros_are_left_alone) {
  for (const char* text :
       {"// k<<<1, 2>>>(a);", "/* k<<<1, 2>>>(a); */ f();", "f(\"k<<<1, 2>>>(a)\");",
        "f(R\"x(k<<<1, 2>>>(\")\")x\");", "#define LAUNCH k<<<1, 2>>>(a)\n", "a << b << c;",
        "x = a<b<c<int>>>(d);"}) {
    EXPECT_EQ(rewrite(text), text);
  }
}

TEST(launches, that_end_with_the_text_do_not_run_past_it) {
  for (const char* text :
       {"k<<<", "<<<", "k<<<1, 2>>>", "k<<<1, 2>>>(a", "f(R\"(", "\"abc", "/* k"}) {
    rewrite(text);
  }
}

TEST(shared_arrays, in_a_function_become_pointers) {
  EXPECT_EQ(rewrite("void f() { extern __shared__ int items[]; }"),
            "void f() { int* const items = static_cast<int*>" + memory + " }");
  EXPECT_EQ(rewrite("{ extern volatile __shared__ std::size_t s[ ]; }"),
            "{ volatile std::size_t* const s = static_cast<volatile std::size_t*>" + memory + " }");
}

TEST(shared_arrays, lose_their_alignment_and_keep_their_lines) {
  EXPECT_EQ(rewrite("{ extern __shared__ __align__(16)\n  unsigned char bytes[]; }"),
            "{ unsigned char* const bytes = static_cast<unsigned char*>" + memory + "\n }");
  EXPECT_EQ(rewrite("{ extern __shared__ alignas(double) char b[]; }"),
            "{ char* const b = static_cast<char*>" + memory + " }");
}

TEST(shared_arrays, outside_functions_become_objects) {
  EXPECT_EQ(rewrite("namespace a { extern __shared__ float s[]; }"),
            "namespace a { static onefold_dynamic_shared<float> s; }");
}

TEST(device_variables, are_marked_and_functions_are_not) {
  const std::string mark = " ONEFOLD_DEVICE_VARIABLE";
  EXPECT_EQ(rewrite("__device__ unsigned ended = 0;"),
            "__device__" + mark + " unsigned ended = 0;");
  EXPECT_EQ(rewrite("namespace a { static __device__ float t[3]; }"),
            "namespace a { static __device__" + mark + " float t[3]; }");
  EXPECT_EQ(rewrite("__device__ __align__(16) volatile int x;"),
            "__device__" + mark + " __align__(16) volatile int x;");
  EXPECT_EQ(rewrite("__device__ int x{f()};"), "__device__" + mark + " int x{f()};");
  for (const char* text :
       {"__device__ int f(int x = 3);", "template <int N> __device__ void f() {}",
        "struct s { __device__ int f() { return 1; } };",
        "__global__ void k() { __device__ int x; }"}) {
    EXPECT_EQ(rewrite(text), text);
  }
}

TEST(shared_arrays, with_a_size_and_other_declarations_stay) {
  for (const char* text : {"{ __shared__ int s[32]; }", "extern int s[];",
                           "extern \"C\" { int f(); }", "extern __shared__ int s;"}) {
    EXPECT_EQ(rewrite(text), text);
  }
}

}  // namespace
}  // namespace onefold::ladder::learner::test
