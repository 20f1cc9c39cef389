// SPDX-License-Identifier: Apache-2.0
// Plans as printed, against files in golden/. ONEFOLD_UPDATE_GOLDEN=1 writes them anew.
#include "onefold/plan.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <vector>

#include "onefold/machine.hpp"
#include "onefold/onefold.hpp"
#include "request/make.hpp"

namespace onefold::test {
namespace {

constexpr machine eight_threads{8, "avx2"};
constexpr std::int64_t mega = 1 << 20;

// Addresses are never read by a planner; only whether they are multiples of the element is asked.
const void* address(std::uintptr_t at) {
  return reinterpret_cast<const void*>(at);
}

array_view view_of(dtype type, const axis_list& axes, std::uintptr_t at = 0x1000) {
  return {address(at), type, axes};
}

result<plan> make_plan(const machine& on, op op, const array_view& x, const options& how) {
  return onefold::make_plan(on, op, std::span(&x, 1), how);
}

struct request {
  const char* name;
  array_view x;
  options how = {};
};

const std::vector<request>& requests() {
  static const std::vector<request> list = {
      {"nothing", view_of(dtype::f64, {{0, 8}})},
      {"one_element", view_of(dtype::f16, {})},
      {"contiguous", view_of(dtype::f64, {{mega, 8}})},
      {"contiguous_below_the_pool", view_of(dtype::f32, {{131071, 4}})},
      {"contiguous_at_the_pool", view_of(dtype::f32, {{131072, 4}})},
      {"contiguous_fast", view_of(dtype::bf16, {{mega + 1, 2}}), {.accuracy = accuracy::fast}},
      {"matrix_c_order", view_of(dtype::i32, {{1000, 4000}, {1000, 4}})},
      {"matrix_fortran_order", view_of(dtype::i32, {{1000, 4}, {1000, 4000}})},
      {"matrix_sliced", view_of(dtype::f32, {{1000, 8000}, {500, 8}})},
      {"column", view_of(dtype::f64, {{mega, 24}})},
      {"reversed", view_of(dtype::u16, {{mega, -2}})},
      {"broadcast", view_of(dtype::f64, {{mega, 8}, {3, 0}, {5, 0}})},
      {"misaligned", view_of(dtype::f64, {{mega, 8}}, 0x1001)},
      {"packed_record", view_of(dtype::f32, {{mega, 13}}, 0x1001)},
      {"cube_transposed", view_of(dtype::boolean, {{64, 64}, {128, 4096 * 2}, {64, 1}})},
  };
  return list;
}

std::string golden_path(const char* name) {
  return std::string(ONEFOLD_GOLDEN) + "/" + name + ".txt";
}

std::string golden(const char* name) {
  std::ifstream file(golden_path(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(plan, is_printed_as_in_the_golden_files) {
  for (const auto& [name, x, how] : requests()) {
    const auto plan = make_plan(eight_threads, op::sum, x, how);
    ASSERT_TRUE(plan.ok()) << name;
    if (std::getenv("ONEFOLD_UPDATE_GOLDEN")) std::ofstream(golden_path(name)) << to_string(*plan);
    EXPECT_EQ(to_string(*plan), golden(name)) << name;
  }
}

TEST(plan, is_a_pure_function_of_the_request) {
  for (const auto& [name, x, how] : requests())
    EXPECT_EQ(*make_plan(eight_threads, op::sum, x, how),
              *make_plan(eight_threads, op::sum, x, how))
        << name;
}

TEST(plan, has_no_more_threads_than_chunks_or_than_the_machine) {
  for (const int threads : {1, 2, 3, 1000, std::numeric_limits<int>::max()})
    for (const std::int64_t items : {1L, 65536L, 65537L, 131072L, 10L * mega}) {
      const auto plan =
          make_plan(machine{threads, "scalar"}, op::sum, view_of(dtype::f64, {{items, 8}}), {});
      EXPECT_GE(plan->threads, 1);
      EXPECT_LE(plan->threads, threads);
      EXPECT_LE(plan->threads, plan->chunks);
      EXPECT_LE((plan->chunks - 1) * plan->chunk_items, items - 1);
      EXPECT_GE(plan->chunks * plan->chunk_items, items);
    }
}

// A broadcast view of 2^63 - 1 elements costs no memory: its numbers must not overflow.
TEST(plan, of_the_longest_view_has_its_chunks_and_threads) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const dtype type : all_dtypes) {
    const auto plan = make_plan(eight_threads, op::sum, view_of(type, {{most, 0}}), {});
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->items, most);
    EXPECT_EQ(plan->chunks, std::int64_t(1) << 47);
    EXPECT_EQ(plan->threads, 8);
  }
}

TEST(plan, of_this_machine_names_its_target_and_threads) {
  const std::vector<double> x(4 * mega);
  const auto plan = onefold::make_plan(executor::cpu{3}, op::sum, x);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->threads, 3);
  EXPECT_EQ(plan->target, describe_machine().target_active);
}

TEST(plan, of_a_view_that_is_none_is_a_mismatch) {
  const auto refused = [](const axis_list& axes) {
    return make_plan(eight_threads, op::sum, view_of(dtype::f64, axes), {}).why().code();
  };
  EXPECT_EQ(refused({{-1, 8}}), status_code::mismatch);
  EXPECT_EQ(refused({{mega * mega, 0}, {mega * mega, 0}}), status_code::mismatch);
}

TEST(sum, takes_one_view_and_no_other_number) {
  const double x[] = {1, 2};
  double value = 5;
  EXPECT_EQ(reduce({}, op::sum, {}, value).code(), status_code::mismatch);
  EXPECT_EQ(reduce({}, op::sum, {x, x}, value).code(), status_code::mismatch);
  EXPECT_EQ(value, 5);
}

}  // namespace
}  // namespace onefold::test
