// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb.hpp"

#include <gtest/gtest.h>

namespace onefold::ladder::test {
namespace {

trial run_first_add(const trial_options& options) {
  return try_rung(*find_rung("published/first-add"), options);
}

constexpr simt::schedule all_schedules[] = {simt::schedule::forward, simt::schedule::reverse,
                                            simt::schedule::shuffled, simt::schedule::lockstep};

TEST(first_add_as_published, sums_0_to_65535_to_the_wrong_value_it_is_known_for) {
  for (const simt::schedule order : all_schedules) {
    const trial t = run_first_add({65536, 256, element::int32, order});
    EXPECT_EQ(t.answer, "1082097664");
    EXPECT_EQ(t.expected, "2147450880");
    EXPECT_EQ(t.verdict(), "wrong value");
  }
}

TEST(first_add_as_published, reads_32512_elements_twice_and_as_many_never) {
  const trial t = run_first_add({});
  EXPECT_EQ(t.reads.repeatedly, 32512u);
  EXPECT_EQ(t.reads.never, 32512u);
  EXPECT_EQ(t.reads.once, 65536u - 2 * 32512u);
}

TEST(first_add_as_published, reads_past_the_end_when_n_is_no_multiple) {
  for (const simt::schedule order : all_schedules) {
    for (const element type : {element::int32, element::float32, element::float64}) {
      const trial t = run_first_add({300, 256, type, order});
      EXPECT_EQ(t.verdict(), "bounds, wrong value");
      ASSERT_EQ(t.findings.size(), 1u);
      EXPECT_EQ(t.findings[0].place.file, "ladder/published/first_add.cuh");
      EXPECT_EQ(t.findings[0].times, 512u - 300u);
    }
  }
}

TEST(first_add_as_published, is_right_for_the_one_block_that_hides_the_defect) {
  EXPECT_EQ(run_first_add({512, 256}).verdict(), "right");
}

TEST(first_add_as_published, shows_what_its_claims_say_at_every_size) {
  const rung* twin = find_rung("published/first-add");
  for (const std::size_t n : {0, 1, 300, 512, 513, 1000, 1024, 4096, 65535, 65536}) {
    for (const unsigned block : {1u, 32u, 64u, 256u, 1024u}) {
      EXPECT_TRUE(climb({{twin, {n, block}}})[0].claims_hold) << n << " " << block;
    }
  }
}

}  // namespace
}  // namespace onefold::ladder::test
