// SPDX-License-Identifier: Apache-2.0
// Whatever orders asynchronous copies, mbarriers and clusters is missed where it is missing.

#include "tests/simt/left_out_waits.hpp"
#include "tests/simt/planted_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace onefold::simt::test {
namespace {

constexpr planted_launch one_block{.grid = 1};
constexpr planted_launch pair{.grid = 2, .cluster = 2};

void expect_something(const std::string& kernel, planted_launch with) {
  for (const schedule order : all_schedules) {
    EXPECT_FALSE(run_planted(kernel, order, with).findings.empty())
        << kernel << ", schedule " << static_cast<int>(order);
  }
}

TEST(copies, land_at_the_wait_and_are_seen_behind_the_barrier) {
  expect_nothing("copies_to_shared<omitted::nothing>");
  const outcome o = run_planted("copies_to_shared<omitted::nothing>", schedule::forward, one_block);
  for (unsigned t = 0; t < threads; ++t) EXPECT_EQ(o.out[t], int(threads - t));
}

TEST(copies, are_poison_without_a_wait_or_a_commit) {
  for (const std::string kernel :
       {"copies_to_shared<omitted::wait>", "copies_to_shared<omitted::commit>"}) {
    expect_at(kernel, defect::asynchronous_copy, {"copy", "read of a copy"}, one_block);
    EXPECT_EQ(run_planted(kernel, schedule::shuffled, one_block).out[1], -1);
  }
}

TEST(copies, race_with_other_lanes_without_a_barrier) {
  expect_at("copies_to_shared<omitted::barrier>", defect::race, {"copy", "read of a copy"},
            one_block);
}

TEST(copies, of_a_ring_need_wait_commit_and_barrier) {
  expect_nothing("ring_of_copies<omitted::nothing>");
  expect_something("ring_of_copies<omitted::wait>", one_block);
  expect_something("ring_of_copies<omitted::commit>", one_block);
  expect_at("ring_of_copies<omitted::barrier>", defect::race,
            {"ring, first copy", "ring, copy", "ring, read"}, one_block);
}

TEST(copies, of_later_groups_are_not_covered_by_a_wait) {
  expect_at("waits_for_too_few", defect::asynchronous_copy, {"too few groups"}, one_block);
  const outcome o = run_planted("waits_for_too_few", schedule::forward, one_block);
  EXPECT_EQ(o.out[3], -1);
  EXPECT_EQ(o.out[threads + 3], 4);
}

TEST(copies, keep_others_from_their_destination) {
  expect_at("written_in_flight", defect::asynchronous_copy, {"written in flight"}, one_block);
  expect_at("copied_in_flight", defect::asynchronous_copy, {"copied in flight"}, one_block);
}

TEST(copies, read_their_source_when_they_land) {
  expect_at("source_changes", defect::asynchronous_copy, {"source changes"}, one_block);
  const outcome o = run_planted("source_changes", schedule::forward, one_block);
  EXPECT_EQ(o.out[threads + 3], -5);
}

TEST(copies, are_of_multiples_of_their_size) {
  expect_at("misplaced_copy", defect::asynchronous_copy, {"misplaced copy"}, one_block);
}

TEST(copies, are_of_16_and_8_and_4_bytes_and_end_in_zeros) {
  expect_nothing("copies_of_all_sizes");
  const outcome o = run_planted("copies_of_all_sizes", schedule::forward, one_block);
  EXPECT_EQ(std::vector<int>(o.out.begin(), o.out.begin() + 7),
            (std::vector<int>{1, 2, 3, 0, 5, 6, 7}));
}

TEST(copies, count_as_a_load_and_a_store_of_a_warp) {
  device gpu;
  const std::vector<int> values(threads, 1);
  const int* in = gpu.memory().copy(std::span<const int>(values), "in");
  int* out = gpu.memory().allocate<int>(threads, "out");
  for (std::size_t i = 0; i < planted_kernel_count; ++i) {
    if (planted_kernels[i].name == std::string("copies_to_shared<omitted::nothing>"))
      planted_kernels[i].launch(gpu,
                                {.block = {threads}, .dynamic_shared_bytes = threads * sizeof(int)},
                                {in, values.size(), out});
  }
  EXPECT_EQ(gpu.counts().global_load.requests, 2u);
  EXPECT_EQ(gpu.counts().shared_store.requests, 2u);
  EXPECT_EQ(gpu.counts().shared_load.requests, 2u);
}

TEST(bulk_copies, land_when_their_phase_has_been_waited_for) {
  expect_nothing("bulk_copy<omitted::nothing>");
  const outcome o = run_planted("bulk_copy<omitted::nothing>", schedule::reverse, one_block);
  for (unsigned t = 0; t < threads; ++t) EXPECT_EQ(o.out[t], int(t + 1));
}

TEST(bulk_copies, need_a_wait_and_an_mbarrier_that_others_know) {
  expect_something("bulk_copy<omitted::wait>", one_block);
  expect_something("bulk_copy<omitted::barrier>", one_block);
  for (const schedule order : all_schedules) {
    const outcome o = run_planted("bulk_copy<omitted::wait>", order, one_block);
    EXPECT_TRUE(std::any_of(o.findings.begin(), o.findings.end(),
                            [](const finding& f) { return f.kind == defect::asynchronous_copy; }));
  }
}

TEST(bulk_copies, of_other_sizes_than_expected_are_waited_for_in_vain) {
  expect_at("bulk_copy<omitted::expected_bytes>", defect::deadlock, {"bulk copy, wait"}, one_block);
}

TEST(clusters, read_each_others_shared_memory) {
  for (const std::string kernel : {"reads_the_other_block<omitted::nothing, false>",
                                   "reads_the_other_block<omitted::nothing, true>"}) {
    expect_nothing(kernel, pair);
    for (const schedule order : all_schedules) {
      const outcome o = run_planted(kernel, order, pair);
      for (unsigned t = 0; t < threads; ++t) {
        EXPECT_EQ(o.out[t], int(t + 1 + 2 * threads - t)) << t;
        EXPECT_EQ(o.out[threads + t], int(threads + t + 1 + threads - t)) << t;
      }
    }
  }
}

TEST(clusters, race_without_their_barrier_and_with_a_relaxed_one) {
  for (const std::string kernel : {"reads_the_other_block<omitted::barrier, false>",
                                   "reads_the_other_block<omitted::barrier, true>",
                                   "reads_the_other_block<omitted::release, false>"}) {
    expect_at(kernel, defect::race, {"other block, write", "other block, read"}, pair);
  }
}

TEST(clusters, may_not_lose_a_block_whose_memory_is_read) {
  for (const schedule order : {schedule::forward, schedule::reverse, schedule::shuffled}) {
    const outcome o =
        run_planted("reads_the_other_block<omitted::last_barrier, false>", order, pair);
    ASSERT_EQ(o.findings.size(), 1u);
    EXPECT_EQ(o.findings[0].kind, defect::bounds);
  }
}

TEST(clusters, send_to_each_other_and_count_the_bytes) {
  expect_nothing("sends_to_the_other_block<omitted::nothing>", pair);
  const outcome o =
      run_planted("sends_to_the_other_block<omitted::nothing>", schedule::forward, pair);
  for (unsigned t = 0; t < threads; ++t) EXPECT_EQ(o.out[t], int(2 * threads - t));
}

TEST(clusters, need_wait_barrier_and_fence_for_what_is_sent) {
  expect_something("sends_to_the_other_block<omitted::wait>", pair);
  expect_something("sends_to_the_other_block<omitted::barrier>", pair);
  expect_something("sends_to_the_other_block<omitted::release>", pair);
}

TEST(clusters, are_of_blocks_that_divide_the_grid) {
  device gpu;
  EXPECT_THROW(run(gpu, {.grid = {3}, .block = {32}, .cluster = 2}, {}), std::invalid_argument);
  EXPECT_THROW(run(gpu, {.grid = {2}, .block = {33}, .cluster = 2}, {}), std::invalid_argument);
}

TEST(waits, that_are_left_out_are_missed) {
  const auto kinds = expect_every_wait_counts("tests/simt/planted_async.cuh", [] {
    for (const finding& f :
         run_planted("ring_of_copies<omitted::nothing>", schedule::forward, one_block).findings) {
      ADD_FAILURE() << f.text();
    }
  });
  EXPECT_EQ(kinds, (std::set{wait_kind::warp_barrier, wait_kind::commit, wait_kind::copy_wait}));
}

TEST(waits, that_do_not_count_are_named) {
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
    expect_every_wait_counts("tests/simt/planted_async.cuh", [] {
      run_planted("ring_of_copies<omitted::nothing>", schedule::forward, one_block);
    });
  }
  EXPECT_EQ(failures.size(), 4);
}

}  // namespace
}  // namespace onefold::simt::test
