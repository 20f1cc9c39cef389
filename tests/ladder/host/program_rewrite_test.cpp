// SPDX-License-Identifier: Apache-2.0
// Launches become calls, main may end without a return, and every line stays where it is.

#include "ladder/try/main/program_rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder::learner::test {
namespace {

std::string rewrite(const std::string& text) {
  const std::string result = program_rewritten(text, "file.cu");
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'))
      << text;
  return result;
}

const std::string prepared = "::onefold::ladder::learner::prepared(";
const std::string kernel = "__global__ void k(int* a) {}\n";
const std::string templated = "template <class T, int B> __global__ void t(T* a) {}\n";

TEST(a_launch, of_the_one_kernel_of_a_name_takes_its_address) {
  EXPECT_EQ(rewrite(kernel + "f(k<<<1, 2>>>(a));"),
            kernel + "f(" + prepared + "\"k\", k).shaped(1, 2)(a));");
  EXPECT_EQ(rewrite(templated + "t<int, 4><<<g, b, 4 * sizeof(int), s>>>(a);"),
            templated + prepared +
                "\"t<int, 4>\", t<int, 4>).shaped(g, b, 4 * sizeof(int), s)(a);");
}

TEST(a_launch, whose_template_arguments_are_deduced_is_a_closure) {
  const std::string closure = "[=](auto... onefold_values) { ";
  EXPECT_EQ(rewrite(templated + "t<int><<<1, 2>>>(a);"),
            templated + prepared + "\"t<int>\", " + closure +
                "t<int>(onefold_values...); }).shaped(1, 2)(a);");
  EXPECT_EQ(rewrite("book::k<<<1, 2>>>();"), prepared + "\"book::k\", " + closure +
                                                 "book::k(onefold_values...); }).shaped(1, 2)();");
}

TEST(a_launch, over_several_lines_keeps_them) {
  EXPECT_EQ(rewrite(kernel + "k<<<grid,\n  block>>>(\n  a);"),
            kernel + prepared + "\"k\", k).shaped(grid,\n  block)(\n  a);");
}

TEST(a_launch, in_a_macro_is_rewritten_and_in_a_comment_or_string_is_not) {
  EXPECT_EQ(rewrite(kernel + "#define RUN(a) \\\n  k<<<1, 2>>>(a)\n"),
            kernel + "#define RUN(a) \\\n  " + prepared + "\"k\", k).shaped(1, 2)(a)\n");
  for (const char* text : {"// k<<<1, 2>>>(a);", "f(\"k<<<1, 2>>>(a)\");", "a << b << c;",
                           "#define THREE <<<\n", "x = a<b<c<int>>>(d);"}) {
    EXPECT_EQ(rewrite(text), text);
  }
}

TEST(a_launch, that_ends_with_the_text_does_not_run_past_it) {
  for (const char* text :
       {"k<<<", "<<<", "k<<<1, 2>>>", "k<<<1, 2>>>(a", ">>>", "t><<<1, 1>>>()"}) {
    rewrite(text);
  }
}

TEST(a_launch, in_a_kernel_is_refused) {
  EXPECT_THROW(rewrite("__global__ void k() { k<<<1, 1>>>(); }"), std::invalid_argument);
}

TEST(main, returns_0_at_its_end) {
  EXPECT_EQ(rewrite("int main() {\n  f();\n}\n"), "int main() {\n  f();\nreturn 0; }\n");
  EXPECT_EQ(rewrite("auto main(int n, char** w) -> int { if (n) { } }"),
            "auto main(int n, char** w) -> int { if (n) { } return 0; }");
  EXPECT_EQ(rewrite("int main();\nvoid f() { main(); }\n"), "int main();\nvoid f() { main(); }\n");
  EXPECT_TRUE(defines_main(tokens_of("int main() {}")));
  EXPECT_FALSE(defines_main(tokens_of("int main(); // int main() {}")));
}

TEST(buffers, are_named_as_the_pointer_that_their_allocation_sets) {
  const std::string text = "cudaMalloc(&in, n);\nCHECK(cudaMalloc((void**)&d.out, f(n)));\n"
                           "cudaMalloc(&a, 1); cudaMalloc(&b, 1);\n";
  const auto names = buffer_names(text, tokens_of(text));
  EXPECT_EQ(names, (std::map<unsigned, std::string>{{1, "in"}, {2, "out"}, {3, "device memory"}}));
}

}  // namespace
}  // namespace onefold::ladder::learner::test
