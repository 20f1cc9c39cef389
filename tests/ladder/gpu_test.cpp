// SPDX-License-Identifier: Apache-2.0
// Every rung on a GPU, where there is one: right for every length, block, type, operator, driver.

#include "ladder/gpu/gpu.hpp"

#include <gtest/gtest.h>

namespace onefold::ladder::test {
namespace {

class on_a_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_gpu().found) GTEST_SKIP() << find_gpu().why_not;
  }
};

std::string name_of(const rung& r, const trial_options& o) {
  return std::string(r.name) + " n " + std::to_string(o.n) + " block " + std::to_string(o.block) +
         " " + to_string(o.type) + " " + to_string(o.op) + " " + to_string(o.drive);
}

bool refused(const rung& r, const trial_options& o) {
  return !has_gpu_kernel(r, o) || (r.refuses != nullptr && !r.refuses(o).empty());
}

void expect_right(const trial_options& options) {
  for (const rung& r : all_rungs()) {
    if (r.published || refused(r, options)) continue;
    const answer found = run_on_gpu(r, options);
    EXPECT_TRUE(found.right) << name_of(r, options) << ": " << found.got << ", not "
                             << found.expected;
  }
}

TEST_F(on_a_gpu, every_rung_is_right_for_every_type_operator_and_length) {
  for (const element type : all_types) {
    for (const operation op : all_operations) {
      for (const std::size_t n : {0, 1, 2, 31, 33, 100, 1000, 65535, 65536, 65537, 1000003}) {
        trial_options options;
        options.n = n;
        options.type = type;
        options.op = op;
        expect_right(options);
      }
    }
  }
}

TEST_F(on_a_gpu, every_rung_is_right_for_every_block) {
  for (const element type : all_types) {
    for (unsigned block = 1; block <= 1024; block *= 2) {
      for (const std::size_t n : {1, 300, 5000, 70001}) {
        trial_options options;
        options.n = n;
        options.block = block;
        options.type = type;
        expect_right(options);
      }
    }
  }
}

TEST_F(on_a_gpu, the_value_can_stay_on_the_device) {
  for (const rung& r : all_rungs()) {
    if (r.published || r.kind != work::reduce) continue;
    for (const std::size_t n : {0, 1, 1000, 1000003}) {
      trial_options options;
      options.n = n;
      options.type = usual_type(r);
      options.drive = device_driver(r);
      const answer found = run_on_gpu(r, options);
      EXPECT_TRUE(found.right) << name_of(r, options) << ": " << found.got;
    }
  }
}

TEST(gpu, is_found_or_the_reason_and_the_remedy_are_told) {
  const gpu_search& search = find_gpu();
  EXPECT_NE(search.found.has_value(), !search.why_not.empty());
}

}  // namespace
}  // namespace onefold::ladder::test
