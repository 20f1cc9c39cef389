// SPDX-License-Identifier: Apache-2.0
// Where automatic runs over data of the host: the rule, by figures that are easily followed.
#include "request/place.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

// A GB of which a thread reads another in a second, and computes for a second or for four.
constexpr host_work plain = {1e9, 1e9, 1e-9, 1}, costly = {1e9, 1e9, 4e-9, 1};

TEST(place, no_link_no_device) {
  EXPECT_FALSE(pays_on_device(costly, {}));
  EXPECT_FALSE(pays_on_device(costly, {0, 1e9, 0}));
}

TEST(place, the_longer_of_reading_and_computing_counts) {
  EXPECT_FALSE(pays_on_device(plain, {1e9, 1e9, 0})) << "the link is no faster than a thread";
  EXPECT_TRUE(pays_on_device(plain, {1.1e9, 1e9, 0})) << "it is";
  EXPECT_TRUE(pays_on_device(costly, {1e9, 1e9, 0})) << "computing takes longer";
  EXPECT_TRUE(pays_on_device(plain, {1e9, 0.5e9, 0})) << "reading takes longer";
}

TEST(place, threads_speed_up_the_cpu_alone) {
  host_work work = costly;
  for (const int threads : {1, 2, 3, 4, 8}) {
    work.threads = threads;
    EXPECT_EQ(pays_on_device(work, {1e9, 1e9, 0}), threads < 4) << threads;
  }
}

TEST(place, the_start_counts_once) {
  EXPECT_TRUE(pays_on_device(costly, {1e9, 1e9, 2.9}));
  EXPECT_FALSE(pays_on_device(costly, {1e9, 1e9, 3.1}));
  const host_work ten_times = {1e10, 1e10, 4e-9, 1};
  EXPECT_TRUE(pays_on_device(ten_times, {1e9, 1e9, 3.1}));
}

TEST(place, a_family_is_paid_for_once) {
  EXPECT_EQ(item_seconds({op::sum, op::mean}), item_seconds(op::sum));
  EXPECT_EQ(item_seconds({op::sum, op::var}), item_seconds(op::sum) + item_seconds(op::var));
  EXPECT_GT(item_seconds(op::logsumexp), item_seconds(op::var));
  EXPECT_GT(item_seconds(op::var), item_seconds(op::max));
}

TEST(place, the_work_of_a_plan) {
  const std::vector<float> x(1000);
  const view<float> matrix(x.data(), {10, 100});
  options how;
  how.axes = {1};
  const executor on = executor::cpu{3};
  const auto rows = make_plan(on, op::sum, {matrix}, how).value();
  EXPECT_EQ(work_of(rows, 0), (host_work{4000, 1000, item_seconds(op::sum), rows.threads}));
  const auto product = make_plan(on, op::dot, {x, x}).value();
  EXPECT_EQ(work_of(product, 0).bytes, 8000);
  EXPECT_EQ(work_of(product, 5000).bytes, 40000) << "one piece of more";
}

}  // namespace
}  // namespace onefold::test
