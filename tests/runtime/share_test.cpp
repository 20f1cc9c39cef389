// SPDX-License-Identifier: Apache-2.0
// Tasks share pieces, and stop at the poll that follows a request.
#include "runtime/share.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace onefold::test {
namespace {

struct stopping {
  std::stop_source source;
  onefold::options options;
  stopping() { options.stop = source.get_token(); }
};

TEST(share, every_piece_is_taken_once) {
  for (const int threads : {1, 2, 8}) {
    std::vector<std::atomic<int>> taken(1000);
    auto done = share({1000, threads, 10, 10000}, {}, [&](auto& next) {
      while (const auto piece = next()) ++taken[std::size_t(*piece)];
    });
    EXPECT_TRUE(done.ok());
    for (const auto& times : taken) EXPECT_EQ(times, 1);
  }
}

// Also between the pieces that a task takes at a time.
TEST(share, no_piece_follows_a_stop) {
  for (std::int64_t last = 0; last < 20; ++last) {
    stopping how;
    std::int64_t pieces = 0;
    auto done = share({1000, 1, 10, 10000}, how.options, [&](auto& next) {
      while (const auto piece = next()) {
        ++pieces;
        if (*piece == last) how.source.request_stop();
      }
    });
    EXPECT_EQ(done.code(), status_code::cancelled);
    EXPECT_EQ(pieces, last + 1);
  }
}

TEST(share, a_piece_is_left_at_the_poll_that_follows_a_stop) {
  stopping how;
  int polls = 0;
  auto done = share({1, 1, 100, 100}, how.options, [&](auto& next) {
    while (next())
      while (next.poll(10).ok())
        if (++polls == 3) how.source.request_stop();
  });
  EXPECT_EQ(done.code(), status_code::cancelled);
  EXPECT_EQ(polls, 3);
}

TEST(share, polls_report_progress_that_adds_up) {
  std::vector<std::int64_t> reported;
  options watched;
  watched.progress = [&](std::int64_t done, std::int64_t) { reported.push_back(done); };
  auto done = share({2, 1, 100, 200}, watched, [&](auto& next) {
    while (next())
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(next.poll(40).ok());  // more than there are
  });
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(reported, (std::vector<std::int64_t>{0, 40, 80, 100, 100, 140, 180, 200, 200, 200}));
}

TEST(share, large_pieces_are_taken_one_by_one) {
  EXPECT_EQ(batch_of({1000, 1, 1, 1000}), 8);
  EXPECT_EQ(batch_of({1000, 1, poll_bytes / 16, 1000}), 2);
  EXPECT_EQ(batch_of({1000, 1, poll_bytes, 1000}), 1);
}

TEST(share, slices_end_at_a_stop) {
  stopping how;
  std::int64_t slices = 0, items = 0;
  auto done =
      in_slices(5, poll_bytes, how.options.stop, [&](std::int64_t first, std::int64_t last) {
        items += last - first;
        if (++slices == 4) how.source.request_stop();
      });
  EXPECT_EQ(done.code(), status_code::cancelled);
  EXPECT_EQ(slices, 4);
  EXPECT_LE(items * 64, 4 * poll_bytes);
}

}  // namespace
}  // namespace onefold::test
