// SPDX-License-Identifier: Apache-2.0
// The caller's stop token and progress callback: a stop is status cancelled, the number of elements
// done never falls and ends at that of all, and no function is called twice at a time.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "onefold/custom.hpp"
#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"
#include "support/each_target.hpp"

namespace onefold::test {
namespace {

using offset_list = std::vector<std::int64_t>;

// Listens to one request.
class listener {
 public:
  options how;

  explicit listener(options options = {}) : how(std::move(options)) {
    how.progress = [this](std::int64_t done, std::int64_t all) { hear(done, all); };
  }

  void expect_whole(std::int64_t items, const std::string& context) const {
    EXPECT_GT(calls_, 0) << context;
    EXPECT_EQ(last_, items) << context;
    EXPECT_EQ(all_, items) << context;
    EXPECT_FALSE(fell_) << context << ": the number done fell, or that of all changed";
    EXPECT_FALSE(twice_) << context << ": two calls at a time";
  }
  std::int64_t last() const { return last_; }
  int calls() const { return calls_; }

 private:
  void hear(std::int64_t done, std::int64_t all) {
    twice_ = twice_ || inside_.exchange(true);
    fell_ = fell_ || done < last_ || done > all || (calls_ > 0 && all != all_);
    last_ = done, all_ = all, ++calls_;
    inside_ = false;
  }

  std::atomic<bool> inside_{false};
  std::int64_t last_ = 0, all_ = -1;
  int calls_ = 0;
  bool fell_ = false, twice_ = false;
};

constexpr std::int64_t rows = 7, columns = 300'001;

class stoppable_requests : public ::testing::TestWithParam<int> {
 protected:
  std::vector<float> x_ = std::vector<float>(std::size_t(rows * columns), 1.0f);
  executor on_ = executor::cpu{GetParam()};

  // All ways into the engine, each with these options.
  template <class F>
  void each(F&& f) {
    const view<float> matrix(x_.data(), {rows, columns}), tall(x_.data(), {columns, rows});
    std::vector<double> answers(std::size_t(2 * columns));
    const auto to = [&](std::int64_t n) {
      return output_view(answers.data(), dtype::f64, {{n, 8}});
    };
    const auto axis_of = [&](const view<float>& view, int along, op op, std::int64_t n) {
      return [=, this](options how) {
        how.axes = axis(along);
        return reduce(on_, op, {view}, to(n), how);
      };
    };
    f("one sum",
      [&](const options& how) { return try_reduce<double>(on_, op::sum, x_, how).why(); });
    f("prod", [&](const options& how) { return try_reduce<double>(on_, op::prod, x_, how).why(); });
    f("fast", [&](options how) {
      how.accuracy = accuracy::fast;
      return try_reduce<double>(on_, op::var, x_, how).why();
    });
    f("few long rows", axis_of(matrix, 1, op::sum, rows));
    f("many short rows", axis_of(tall, 1, op::sum, columns));
    f("rows by tasks", axis_of(tall, 1, op::argmax, columns));
    f("columns", axis_of(matrix, 0, op::sum, columns));
    f("few long columns", axis_of(tall, 0, op::var, rows));
    f("state", [&](const options& how) { return try_partial(on_, op::sum, x_, how).why(); });
    f("statistics", [&](const options& how) { return try_stats(on_, x_, how).why(); });
    f("windows",
      [&](const options& how) { return windows(on_, op::sum, dtype::f32, how).add(x_); });
    f("mapped", [&](const options& how) {
      const auto half = [](float value) { return value / 2; };
      return reduce_mapped(on_, op::sum, x_, dtype::f32, detail::map_of<float, float>(half),
                           answers[0], how);
    });
    f("walk",
      [&](const options& how) { return walk(on_, x_, how, [](auto, auto, auto, auto, auto) {}); });
    offset_list offsets = {0, 0, 5, 9, 9};
    while (offsets.back() < 4000) offsets.push_back(offsets.back() + 11);
    offsets.push_back(offsets.back() + 700'000);
    offsets.push_back(offsets.back() + 70'000);
    offsets.push_back(rows * columns);
    f("segments", [&](const options& how) {
      return reduce_segments(on_, op::sum, x_, offsets, to(std::int64_t(offsets.size()) - 1), how);
    });
  }
};

TEST_P(stoppable_requests, report_progress_that_never_falls_and_ends_at_all) {
  each([](const std::string& context, auto&& request) {
    const listener listening;
    const status done = request(listening.how);
    EXPECT_TRUE(done.ok()) << context << ": " << done.message();
    listening.expect_whole(rows * columns, context);
  });
}

TEST_P(stoppable_requests, are_cancelled_where_a_stop_was_asked_for_before) {
  each([](const std::string& context, auto&& request) {
    std::stop_source stop;
    stop.request_stop();
    const listener listening({.stop = stop.get_token()});
    const status done = request(listening.how);
    EXPECT_EQ(done.code(), status_code::cancelled) << context;
    EXPECT_EQ(done.message(), "the caller asked to stop");
    EXPECT_EQ(listening.last(), 0) << context;
  });
}

TEST_P(stoppable_requests, are_cancelled_on_the_way) {
  each([](const std::string& context, auto&& request) {
    // A stop at the first piece; the last call would report all. The other threads may have ended
    // the work before the one that reports the first piece comes to ask: then once more.
    std::int64_t last = rows * columns;
    status done;
    for (int attempt = 0; attempt < 20 && last == rows * columns; ++attempt) {
      std::stop_source stop;
      options how{.stop = stop.get_token()};
      how.progress = [&](std::int64_t items, std::int64_t) { stop.request_stop(), last = items; };
      done = request(how);
    }
    EXPECT_EQ(done.code(), status_code::cancelled) << context;
    EXPECT_LT(last, rows * columns) << context;
  });
}

INSTANTIATE_TEST_SUITE_P(on_threads, stoppable_requests, ::testing::ValuesIn(thread_counts));

TEST(progress, of_windows_goes_on_from_piece_to_piece) {
  const std::vector<float> x(200'000, 1.0f);
  std::vector<std::pair<std::int64_t, std::int64_t>> heard;
  windows all(executor::cpu{1}, op::sum, dtype::f32,
              {.progress = [&](std::int64_t done, std::int64_t total) {
                heard.push_back({done, total});
              }});
  ASSERT_TRUE(all.add(array_view(x.data(), 150'000)).ok());
  EXPECT_EQ(heard.back(), std::pair(std::int64_t(150'000), std::int64_t(150'000)));
  ASSERT_TRUE(all.add(array_view(x.data() + 150'000, 50'000)).ok());
  EXPECT_EQ(heard.back(), std::pair(std::int64_t(200'000), std::int64_t(200'000)));
  for (std::size_t i = 1; i < heard.size(); ++i) EXPECT_GE(heard[i].first, heard[i - 1].first);
}

TEST(progress, does_not_end_at_all_where_an_answer_has_no_value) {
  std::vector<float> x(2000 * 100, 1.0f);
  x[0] = std::nanf("");
  std::vector<float> answers(2000);
  const listener listening({.axes = axis(1), .nan_policy = nan_policy::error});
  const output_view output(answers.data(), dtype::f32, {{2000, 4}});
  const auto done = reduce(executor::cpu{1}, op::var, {view<float>(x.data(), {2000, 100})}, output,
                           listening.how);
  EXPECT_EQ(done.code(), status_code::not_a_number);
  EXPECT_LT(listening.last(), 2000 * 100);
}

TEST(stop, of_another_thread_ends_a_long_reduction) {
  const std::vector<float> x(1 << 16, 1.0f);
  const array_view endless(x.data(), dtype::f32, {{std::int64_t(1) << 24, 0}, {1 << 16, 4}});
  std::stop_source stop;
  std::atomic<bool> began{false};
  std::jthread other([&] {
    began.wait(false);
    stop.request_stop();
  });
  const options how{.stop = stop.get_token(), .progress = [&](std::int64_t, std::int64_t) {
                      began = true;
                      began.notify_all();
                    }};
  EXPECT_EQ(try_reduce<double>({}, op::sum, endless, how).why().code(), status_code::cancelled);
  how.progress(0, 0);  // where no piece was reported the other waits
}

}  // namespace
}  // namespace onefold::test
