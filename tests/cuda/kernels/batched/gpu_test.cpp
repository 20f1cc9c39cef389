// SPDX-License-Identifier: Apache-2.0
// Rows and columns on a device: the CPU's answers, bit for bit.
#include <cmath>
#include <string>
#include <vector>

#include "cuda/device_test.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;

class rows_on_gpu : public with_device {};

// Answers of x[outer][n][inner] over the axis in the middle, on the device, where it begins
// `offset` elements behind a vector, and on the CPU.
template <class Element>
void expect_the_same_answers(const std::vector<Element>& x, op op, dtype type,
                             const std::int64_t (&shape)[3], options how = {}, int offset = 0) {
  const auto width = std::int64_t(size_bytes(type));
  const dtype output = default_output(op, type);
  const std::size_t bytes = std::size_t(shape[0] * shape[2]) * size_bytes(output);
  const device_bytes dx(x, std::size_t(width * offset)), out(bytes);
  std::vector<unsigned char> wanted(bytes);
  const std::int64_t left[] = {shape[0], shape[2]};
  how.axes = {1};
  const axis_list axes = row_major(shape, width);
  const axis_list places = row_major(left, std::int64_t(size_bytes(output)));
  ASSERT_TRUE(reduce(executor::cpu{}, op, {array_view(x.data(), type, axes)},
                     output_view(wanted.data(), output, places), how)
                  .ok());
  const auto done = reduce(executor::cuda{}, op, {array_view(dx.data(), type, axes)},
                           output_view(out.data(), output, places), how);
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_TRUE(out.get() == wanted) << name(type) << " [" << shape[0] << "][" << shape[1] << "]["
                                   << shape[2] << "], ONEFOLD_TEST_SEED=" << onefold::test::seed();
}
void expect_the_same_answers(random_source& random, op op, dtype type,
                             const std::int64_t (&shape)[3], options how = {}) {
  const std::int64_t items = shape[0] * shape[1] * shape[2];
  const auto x = random_elements(type, items, random);
  expect_the_same_answers(x, op, type, shape, how, int(random.between(0, 3)));
}

TEST_F(rows_on_gpu, and_columns_are_answered_there) {
  const std::int64_t shapes[][3] = {{1000, 7, 1},    {33, 64, 1},   {2, 100'003, 1}, {1, 1000, 31},
                                    {1, 5000, 16},   {5, 40, 9},    {1, 3, 10'007},  {3, 1, 12},
                                    {1, 200'000, 2}, {4, 2049, 128}};
  std::uint64_t index = 0;
  for (const dtype type : {dtype::f64, dtype::f32, dtype::bf16, dtype::f16, dtype::i32, dtype::u8})
    for (const auto& shape : shapes) {
      random_source random = source_of(204, index++);
      expect_the_same_answers(random, op::mean, type, shape);
    }
}

// Sums that cancel, or have a NaN: all blocks sum them up again.
TEST_F(rows_on_gpu, and_columns_in_parts_are_answered_whatever_their_elements) {
  const std::int64_t shapes[][3] = {{1, 3'000'001, 1}, {1, 700'000, 5}, {1, 9'000, 1030}};
  std::uint64_t index = 0;
  for (const auto& shape : shapes) {
    random_source random = source_of(208, index++);
    std::vector<double> x(std::size_t(shape[0] * shape[1] * shape[2]));
    for (std::size_t i = 0; i < x.size() / 2; ++i) {
      x[i] = std::ldexp(random.normal(), random.between(-60, 60));
      x[x.size() - 1 - i] = -x[i];
    }
    expect_the_same_answers(x, op::sum, dtype::f64, shape);
    x[random.below(x.size())] = NAN;
    expect_the_same_answers(x, op::norm1, dtype::f64, shape);
  }
}

TEST_F(rows_on_gpu, and_columns_wrap_where_fast_sums_of_integers_are_asked_for) {
  const std::int64_t shapes[][3] = {{1000, 7, 1},   {1000, 8, 1},  {33, 64, 1},   {500, 301, 1},
                                    {2, 70'003, 1}, {9, 1024, 1},  {1, 1000, 31}, {5, 40, 9},
                                    {1, 3, 10'007}, {1, 9'000, 2}, {4, 300, 64},  {1, 20'000, 6},
                                    {3, 1025, 20}};
  options how;
  how.accuracy = accuracy::fast;
  std::uint64_t index = 0;
  for (const dtype type : {dtype::i64, dtype::u64, dtype::i32, dtype::boolean})
    for (const op op : {op::sum, op::norm2, op::prod})
      for (const auto& shape : shapes) {
        random_source random = source_of(206, index++);
        expect_the_same_answers(random, op, type, shape, how);
      }
}

TEST_F(rows_on_gpu, an_initial_value_is_in_every_answer) {
  const std::int64_t shapes[][3] = {{33, 64, 1}, {1, 1000, 31}};
  options how;
  how.initial = scalar(100);
  random_source random = source_of(205, 0);
  for (const dtype type : {dtype::f32, dtype::u16})
    for (const auto& shape : shapes) expect_the_same_answers(random, op::sum, type, shape, how);
}

}  // namespace
}  // namespace onefold::cuda::test
