// SPDX-License-Identifier: Apache-2.0
// Random tests that fail on purpose; repeat_test.py executes the commands that they print.
#include <gtest/gtest.h>

#include "support/random.hpp"

namespace onefold::test {
namespace {

class planted : public testing::TestWithParam<int> {};

TEST(planted_fixed, fails_without_a_seed) {
  FAIL() << "nothing is random here";
}

TEST_P(planted, passes_for_every_seed) {
  EXPECT_LT(source_of(1, std::uint64_t(GetParam())).unit(), 1);
}

TEST_P(planted, fails_for_every_seed) {
  EXPECT_EQ(source_of(2, std::uint64_t(GetParam()))(), 0u);
  ADD_FAILURE() << "with " << cases(1000000) << " cases";
}

INSTANTIATE_TEST_SUITE_P(numbers, planted, testing::Values(3, 4));

}  // namespace
}  // namespace onefold::test
