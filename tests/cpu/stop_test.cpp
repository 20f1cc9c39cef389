// SPDX-License-Identifier: Apache-2.0
// Every driver reports and polls after a few megabytes, and stops at a poll. Repeated rows stand
// for large arrays: their strides are zero.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"
#include "runtime/share.hpp"

namespace onefold::test {
namespace {

// A driver is allowed twice poll_bytes: pieces are of whole rows, chunks or lines.
constexpr std::int64_t allowed_bytes = 2 * poll_bytes;

struct driven {
  std::string driver;
  std::int64_t item_bytes;
  std::function<status(const options&)> call;
};

const executor one_thread = executor::cpu{1};

// A matrix of f64 whose rows share one row of memory.
driven matrix(const std::string& driver, op op, std::int64_t rows, std::int64_t columns, int along,
              options how = {}, std::int64_t column_bytes = 8) {
  return {driver, 8, [=](const options& watched) {
            const std::vector<double> row(static_cast<std::size_t>(columns), 0.5);
            const array_view x(row.data(), dtype::f64, {{rows, 0}, {columns, column_bytes}});
            options all = watched;
            all.axes = axis(along), all.accuracy = how.accuracy;
            std::vector<std::byte> answers(std::size_t(8 * (along == 0 ? columns : rows)));
            const dtype type = default_output(op, dtype::f64);
            const output_view output(
                answers.data(), type,
                {{along == 0 ? columns : rows, std::int64_t(size_bytes(type))}});
            return reduce(one_thread, op, {x}, output, all);
          }};
}

driven segments_of(const std::string& driver, op op, std::int64_t n) {
  return {driver, 8, [=](const options& watched) {
            const std::vector<double> x(static_cast<std::size_t>(n), 0.5);
            const std::vector<std::int64_t> offsets = {0, 3, n - 5, n};
            std::vector<double> answers(3);
            const output_view output(answers.data(), dtype::f64, {{3, 8}});
            return reduce_segments(one_thread, op, x, offsets, output, watched);
          }};
}

driven by_key_of(const std::string& driver, op op, std::int64_t n) {
  return {driver, 8, [=](const options& watched) {
            const std::vector<double> x(static_cast<std::size_t>(n), 0.5);
            std::vector<std::int32_t> keys(x.size());
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = int(i * 7919 % 1000);
            std::vector<std::int32_t> groups(1000);
            std::vector<double> answers(1000);
            const auto make = [&](std::int64_t) -> group_outputs {
              return {groups.data(), {answers.data(), dtype::f64, {{1000, 8}}}};
            };
            return reduce_by_key(one_thread, op, keys, x, make, watched);
          }};
}

std::vector<driven> all_drivers() {
  constexpr std::int64_t many = 1 << 13, wide = 1 << 12, longest = (1 << 22) + 1;
  return {
      matrix("columns by blocks", op::sum, many, wide, 0),
      matrix("columns by blocks of bands", op::sum, many, wide, 0, {.accuracy = accuracy::fast}),
      matrix("transposed columns", op::var, many, wide, 0),
      matrix("transposed columns in order", op::prod, many * 32, 64, 0),
      matrix("columns of extrema", op::max, many, wide, 0),
      matrix("columns of positions", op::argmin, many, wide, 0),
      matrix("columns of counts", op::count_nonzero, many, wide, 0),
      matrix("few columns", op::max, longest, 3, 0),
      matrix("rows by blocks", op::sum, 9, longest, 1),
      matrix("rows by tasks", op::var, 9, longest, 1),
      matrix("gathered rows", op::sum, 9, longest, 1, {}, 0),
      matrix("one row", op::sum, 1, longest, 1),
      segments_of("segments by blocks", op::sum, longest),
      segments_of("segments by tasks", op::var, longest),
      by_key_of("sums by key", op::sum, longest),
      by_key_of("elements sorted by key", op::max, longest),
  };
}

TEST(stop, is_polled_by_every_driver_after_a_few_megabytes) {
  for (const driven& each : all_drivers()) {
    std::int64_t last = 0, most = 0, end = 0;
    options watched;
    watched.progress = [&](std::int64_t done, std::int64_t all) {
      most = std::max(most, done - last), last = done, end = all;
    };
    const auto done = each.call(watched);
    ASSERT_TRUE(done.ok()) << each.driver << ": " << done.message();
    EXPECT_LE(most * each.item_bytes, allowed_bytes) << each.driver;
    EXPECT_EQ(last, end) << each.driver;
  }
}

TEST(stop, ends_every_driver_at_the_next_poll) {
  for (const driven& each : all_drivers())
    for (const int poll : {1, 2, 3}) {
      int polls = 0;
      std::stop_source source;
      options watched;
      watched.stop = source.get_token();
      watched.progress = [&](std::int64_t, std::int64_t) {
        if (++polls == poll) source.request_stop();
      };
      EXPECT_EQ(each.call(watched).code(), status_code::cancelled) << each.driver;
      EXPECT_EQ(polls, poll) << each.driver;
    }
}

// These have no progress to report.
TEST(stop, leaves_copies_and_normalizations_without_another_write) {
  std::stop_source source;
  source.request_stop();
  const std::stop_token stop = source.get_token();
  const std::vector<float> x(1 << 16, 0.5f);
  std::vector<float> y(x.size(), -1.0f);
  const array_view matrix(x.data(), dtype::f32, {{256, 1024}, {256, 4}});
  const std::vector<float> untouched = y;
  for (const int threads : {1, 2}) {
    const executor cpu = executor::cpu{threads};
    EXPECT_EQ(transpose(cpu, matrix, y.data(), {{256, 1024}, {256, 4}}, stop).code(),
              status_code::cancelled);
    EXPECT_EQ(softmax(cpu, matrix, y.data(), stop).code(), status_code::cancelled);
    EXPECT_EQ(log_softmax(cpu, matrix, y.data(), stop).code(), status_code::cancelled);
    rms_norm_options options;
    options.stop = stop;
    EXPECT_EQ(rms_norm(cpu, matrix, y.data(), options).code(), status_code::cancelled);
    layer_norm_options centred;
    centred.stop = stop;
    EXPECT_EQ(layer_norm(cpu, matrix, y.data(), centred).code(), status_code::cancelled);
    EXPECT_EQ(y, untouched);
  }
}

}  // namespace
}  // namespace onefold::test
