// SPDX-License-Identifier: Apache-2.0
// Kernels are found by name, wherever and however they are written.

#include "ladder/try/source/kernels_in.hpp"
#include "ladder/try/source/launch_facts.hpp"
#include "ladder/try/source/loops.hpp"
#include "ladder/try/source/structs_in.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace onefold::ladder::learner::test {
namespace {

std::vector<kernel_source> found(const std::string& text) {
  static std::string kept;  // tokens look into it
  kept = text;
  return kernels_in(tokens_of(kept));
}

using strings = std::vector<std::string>;

strings names_of(const struct_source& s) {
  strings names;
  for (const struct_field& field : s.fields) names.push_back(field.name);
  return names;
}

TEST(kernels, are_found_with_their_parameters) {
  const auto all =
      found("__global__ void sum(const float* __restrict__ in, float out[], int n = 3) {}");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "sum");
  EXPECT_EQ(all[0].parameter_names, (strings{"in", "out", "n"}));
  EXPECT_EQ(all[0].parameters[0], "const float* __restrict__ in");
}

TEST(kernels, may_carry_attributes_and_stand_in_namespaces) {
  const auto all =
      found("namespace a::b { static __global__ __launch_bounds__(256, 2) void\nsum(void) {} }");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].qualifier, "a::b::");
  EXPECT_EQ(all[0].name, "sum");
  EXPECT_TRUE(all[0].parameters.empty());
}

TEST(kernels, that_are_only_declared_or_spoken_of_are_not_found) {
  EXPECT_TRUE(found("// __global__ void a() {}\n__global__ void b();\nconst char* c = \"__global__ "
                    "void c() {}\";\n#define D __global__ void d() {}\n")
                  .empty());
}

TEST(dimensions, are_seen_in_the_kernel_and_its_helpers_and_not_in_other_kernels) {
  static std::string kept;
  const auto use = [](const std::string& text, std::size_t which) {
    kept = text;
    const auto tokens = tokens_of(kept);
    const auto kernels = kernels_in(tokens);
    return launch_facts_of(tokens, kernels, kernels.at(which)).dimensions;
  };
  const std::string flat = "__global__ void f(int* a) { a[threadIdx.x] = 0; }\n";
  const std::string deep = "__global__ void g(int* a) { a[blockIdx.z] = 0; }\n";
  EXPECT_EQ(use(flat + deep, 0), 1u);
  EXPECT_EQ(use(flat + deep, 1), 3u);
  EXPECT_EQ(use(deep + deep + flat, 2), 1u);
  EXPECT_EQ(use("__device__ int row() { return threadIdx . y; }\n" + flat, 0), 2u);
  EXPECT_EQ(use("struct p { int y; };\n// threadIdx.y\n" + flat, 0), 1u);
}

TEST(the_axes_of_blocks, are_those_that_the_kernel_asks_for) {
  std::string kept;
  const auto axes = [&](const std::string& text) {
    kept = text;
    const auto tokens = tokens_of(kept);
    const auto kernels = kernels_in(tokens);
    return launch_facts_of(tokens, kernels, kernels.at(0)).block_axes;
  };
  const std::string none = "__global__ void f(int* a) { a[threadIdx.x] = 0; }\n";
  const std::string other = "__global__ void g(int* a) { a[blockIdx.y] = 0; }\n";
  EXPECT_EQ(axes(none + other), 0u);
  EXPECT_EQ(axes("// blockIdx.x\n#include <cstddef>\n" + none), 0u);
  EXPECT_EQ(axes(other), 2u);
  EXPECT_EQ(axes("__device__ int row() { return blockIdx.x; }\n" + none), 1u);
  EXPECT_EQ(axes("__device__ int at() { return blockIdx.x + blockIdx.z; }\n" + other), 7u);
  EXPECT_EQ(axes("__device__ uint3 at() { return blockIdx; }\n" + none), 7u);
  EXPECT_EQ(axes("__device__ int all() { return gridDim.x; }\n" + none), 7u);
  EXPECT_EQ(axes("#define ROW blockIdx.x\n" + none), 7u);
  EXPECT_EQ(axes("#include \"mine.cuh\"\n" + none), 7u);
  EXPECT_EQ(axes("__device__ auto all() { return cg::this_grid(); }\n" + none), 7u);
}

std::vector<std::string> steps_of(const std::string& loop) {
  const std::vector<counted_loop> loops = counted_loops_in(loop, tokens_of(loop));
  std::vector<std::string> steps;
  for (const counted_loop& l : loops) {
    steps.push_back(l.step(0, 256) + ", " + l.step(1, 256) + ", " + l.step(3, 256));
  }
  return steps;
}

TEST(loops, have_the_values_of_their_variable) {
  EXPECT_EQ(steps_of("for (int s = blockDim.x / 2; s > 0; s >>= 1) { a(); }"),
            strings{"s = 128, s = 64, s = 16"});
  EXPECT_EQ(steps_of("for (unsigned int s=1; s < blockDim.x; s *= 2) a();"),
            strings{"s = 1, s = 2, s = 8"});
  EXPECT_EQ(steps_of("for (int k = blockDim.x >> 2u; k; k = k / 2) a();"),
            strings{"k = 64, k = 32, k = 8"});
  EXPECT_EQ(steps_of("for (int i = 0; i < 9; i++) { for (int k = 16; k > 0; k -= 4) a(); }"),
            (strings{"i = 0, i = 1, i = 3", "k = 16, k = 12, k = 4"}));
}

TEST(loops, of_other_values_are_left_out) {
  for (const char* loop :
       {"for (int i = threadIdx.x; i < n; i += blockDim.x) a();", "for (;;) a();",
        "for (int s = 1; s < n; s *= k) a();", "for (int x : list) a();", "for (int s = 1; s",
        "for (int s = blockDim.x * 2; s > 0; s /= 2) a();",
        "for (int s = 1; s < n; s <<= 40) a();"})
    EXPECT_EQ(steps_of(loop), strings{}) << loop;
}

TEST(structs, of_a_kernels_parameters_have_their_fields_listed) {
  const std::string text =
      "namespace a { struct size { int width, height = 3; float f() { return 1; "
      "} const int* in; }; struct other { int x; };\n"
      "__global__ void k(const size given, float* out) {} }";
  const auto tokens = tokens_of(text);
  const auto found = structs_of(tokens, kernels_in(tokens).at(0));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "a::size");
  EXPECT_EQ(names_of(found[0]), (strings{"width", "height", "in"}));
}

TEST(structs, are_found_through_aliases_templates_and_fields) {
  const std::string text =
      "struct inner { int i; };\n"
      "template <class T, int N = 4> class __align__(16) pair { public: T value[N]; inner at{};\n"
      "  static const int size = N; using type = T; pair() : value{} {} bool ok() const; };\n"
      "typedef struct { pair<float> best; unsigned flags : 3; } answer;\n"
      "struct base {}; struct derived : base { int x; };\n"
      "__global__ void k(const answer* in) { derived local; }";
  const auto tokens = tokens_of(text);
  const auto found = structs_of(tokens, kernels_in(tokens).at(0));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "inner");
  EXPECT_EQ(found[1].name, "pair");
  EXPECT_EQ(names_of(found[1]), (strings{"value", "at"}));
  EXPECT_EQ(found[1].template_head, "class T, int N");
  EXPECT_EQ(found[1].template_arguments, "<T, N>");
  EXPECT_EQ(found[2].name, "answer");
  EXPECT_EQ(names_of(found[2]), (strings{"best", "flags"}));
}

TEST(templates, are_instantiated_with_what_their_parameters_stand_for) {
  const instance_options options{scalar::float64, reduction::maximum, 128};
  const auto name = [&](const std::string& text) {
    return instance_name(found(text)[0], "", options);
  };
  EXPECT_EQ(name("__global__ void k(int* a) {}"), "k");
  EXPECT_EQ(name("template <class T> __global__ void k(T* a) {}"), "k<double>");
  EXPECT_EQ(name("template <unsigned int size> __global__ void k(int* a) {}"), "k<128>");
  EXPECT_EQ(name("template <typename T, int size, bool power> __global__ void k(T* a) {}"),
            "k<double, 128, false>");
  EXPECT_EQ(name("template <class T, class Operator> __global__ void k(T* a) {}"),
            "k<double, ::onefold::ladder::maximum<double>>");
  EXPECT_EQ(name("template <class T, int items = 4> __global__ void k(T* a) {}"), "k<double>");
}

TEST(templates, take_arguments_as_typed) {
  EXPECT_EQ(
      instance_name(found("template <int a, int b> __global__ void k(int*) {}")[0], "k<1, 2>", {}),
      "k<1, 2>");
}

TEST(templates, of_templates_are_refused_with_the_remedy) {
  const auto all = found("template <template <class> class F> __global__ void k(int*) {}");
  EXPECT_THROW(instance_name(all[0], "", {}), std::invalid_argument);
}

}  // namespace
}  // namespace onefold::ladder::learner::test
