// SPDX-License-Identifier: Apache-2.0
// executor::devices where the elements of answers are cut over the devices: the answers of the CPU,
// in bytes, for random shapes of few answers and many elements.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device_test.hpp"
#include "cuda/fake_runtime.hpp"
#include "cuda/runtime/slot.hpp"
#include "onefold/onefold.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;

constexpr std::int64_t bytes_for_three = std::int64_t(25) << 20;  // a part has 8 MiB or more

class elements_on_devices : public testing::Test {
 protected:
  void SetUp() override { have_devices(3); }
  void TearDown() override {
    for (int i = 0; i < 3; ++i) drop_kept_slots(i);
    have_devices(1);
  }
};

// An array, of which some axes are reduced.
struct layout {
  std::vector<std::int64_t> extents;
  std::vector<int> reduced;
};

// The longest axis has what the others leave of the bytes.
layout random_layout(random_source& random, std::int64_t items) {
  const std::int64_t a = random.between(1, 5), b = random.between(1, 4);
  const auto rest = [&](std::int64_t others) { return items / others + random.between(1, 9); };
  switch (random.below(6)) {
  case 0:  // columns
    return {{rest(a), a}, {0}};
  case 1:  // fewer rows than devices
    return {{2, rest(2)}, {1}};
  case 2:
    return {{2, rest(2 * a), a}, {1}};
  case 3:  // two reduced axes
    return {{rest(a * b), a, b}, {0, 2}};
  case 4:
    return {{rest(40 * a), 40, a}, {0, 1}};
  default:  // one answer
    return {{rest(a), a}, {0, 1}};
  }
}

struct case_of {
  layout shape;
  dtype type = dtype::f32;
  std::vector<unsigned char> bytes, mask;
  axis_list axes, mask_axes;
  std::int64_t first_byte = 0;  ///< of the view
  options how;

  array_view x() const { return {bytes.data() + first_byte, type, axes}; }
};

// Contiguous elements, or with a gap after each of the innermost axis, or the first axis reversed.
void lay_out(case_of& to, random_source& random) {
  const auto item = std::int64_t(size_bytes(to.type));
  std::int64_t apart = item * (random.one_in(4) ? 2 : 1), mask_apart = 1;
  std::vector<axis_layout> axes, mask_axes;
  for (std::size_t i = to.shape.extents.size(); i-- > 0;) {
    axes.insert(axes.begin(), {to.shape.extents[i], apart});
    mask_axes.insert(mask_axes.begin(), {to.shape.extents[i], mask_apart});
    apart *= to.shape.extents[i], mask_apart *= to.shape.extents[i];
  }
  to.bytes.resize(std::size_t(apart + 7) / 8 * 8);
  for (std::size_t i = 0; i < to.bytes.size(); i += 8) {
    const std::uint64_t word = random();
    std::memcpy(&to.bytes[i], &word, 8);
  }
  // Mostly of magnitudes below 2: sums are numbers.
  if (is_floating(to.type) && !random.one_in(4))
    for (auto last = std::size_t(item) - 1; last < to.bytes.size(); last += std::size_t(item))
      to.bytes[last] &= 0xbf;
  if (random.one_in(4)) {
    to.first_byte = axes[0].stride_bytes * (axes[0].extent - 1);
    axes[0].stride_bytes = -axes[0].stride_bytes;
  }
  if (random.one_in(4)) {
    to.mask.resize(std::size_t(mask_apart));
    for (auto& each : to.mask) each = std::uint8_t(random.below(2));
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    to.axes.push_back(axes[i]), to.mask_axes.push_back(mask_axes[i]);
}

void make(case_of& to, random_source& random) {
  constexpr dtype types[] = {dtype::f16, dtype::f32, dtype::f64, dtype::i64, dtype::u16};
  to.type = types[random.below(std::size(types))];
  to.shape = random_layout(random, bytes_for_three / std::int64_t(size_bytes(to.type)));
  lay_out(to, random);
  to.how.axes = axis_set(to.shape.reduced);
  to.how.first_index = random.one_in(2) ? 0 : random.between(1, 1000);
  if (!to.mask.empty()) to.how.where = array_view(to.mask.data(), dtype::boolean, to.mask_axes);
  if (is_floating(to.type) && random.one_in(2)) to.how.nan_policy = nan_policy::omit;
}

std::vector<std::byte> answers_on(const executor& executor, const case_of& given, op op,
                                  status& done) {
  auto shape = answer_shape(given.x(), given.how);
  if (answers_of(op) > 1) shape.push_back(answers_of(op));
  const dtype type = default_output(op, given.type);
  std::int64_t apart = std::int64_t(size_bytes(type));
  std::vector<axis_layout> axes;
  for (std::size_t i = shape.size(); i-- > 0; apart *= shape[i])
    axes.insert(axes.begin(), {shape[i], apart});
  axis_list list;
  for (const axis_layout& each : axes) list.push_back(each);
  std::vector<std::byte> answers(static_cast<std::size_t>(apart));
  done = reduce(executor, op, {given.x()}, output_view(answers.data(), type, list), given.how);
  return answers;
}

std::string shown(const case_of& given, op op) {
  std::string out = std::string(name(op)) + " of " + std::string(name(given.type)) + " [";
  for (const std::int64_t each : given.shape.extents) out += std::to_string(each) + " ";
  return out + "] over " + std::to_string(given.shape.reduced.size()) + " axes from " +
         std::to_string(given.shape.reduced[0]);
}

bool answers_position(op op) {
  return op == op::argmin || op == op::argmax;
}

// How many devices had work.
int expect_same(const case_of& given, op op) {
  status on_cpu, on_gpus;
  const auto wanted = answers_on(executor::cpu{1}, given, op, on_cpu);
  have_devices(3);
  const auto got = answers_on(executor::devices{}, given, op, on_gpus);
  EXPECT_EQ(on_cpu.code(), on_gpus.code()) << shown(given, op) << ": " << on_gpus.message();
  EXPECT_TRUE(!on_cpu.ok() || got == wanted) << shown(given, op);
  return devices_used();
}

TEST_F(elements_on_devices, every_answer_is_that_of_the_cpu) {
  random_source random = onefold::test::source_of(2507, 0);
  constexpr op ops[] = {op::sum,    op::mean, op::var, op::norm2,         op::argmax, op::argmin,
                        op::minmax, op::any,  op::all, op::count_nonzero, op::norminf};
  for (int i = 0; i < 4; ++i) {
    case_of given;
    make(given, random);
    for (int j = 0; j < 2; ++j) {
      op op = ops[random.below(std::size(ops))];
      if (given.how.where && answers_position(op))
        op = op::minmax;  // what is masked has a position
      EXPECT_EQ(expect_same(given, op), 3) << shown(given, op);
    }
  }
}

TEST_F(elements_on_devices, initial_values_count_once) {
  case_of given;
  given.shape = {{bytes_for_three / 12, 3}, {0}};
  given.bytes.resize(std::size_t(bytes_for_three));
  given.axes = axis_list{{given.shape.extents[0], 12}, {3, 4}};
  std::memset(given.bytes.data(), 0x3f, given.bytes.size());
  given.how.axes = axis(0);
  given.how.initial = 1e-30;
  EXPECT_EQ(expect_same(given, op::sum), 3);
}

TEST_F(elements_on_devices, states_with_an_order_are_the_first_ones) {
  case_of given;
  given.shape = {{bytes_for_three / 12, 3}, {0}};
  given.bytes.resize(std::size_t(bytes_for_three));
  given.axes = axis_list{{given.shape.extents[0], 12}, {3, 4}};
  for (std::size_t i = 0; i < given.bytes.size(); i += 4) {
    const float each = 1 + float(i % 4096) * 0x1p-20f;
    std::memcpy(&given.bytes[i], &each, 4);
  }
  given.how.axes = axis(0);
  EXPECT_EQ(expect_same(given, op::prod), 1);
  EXPECT_EQ(expect_same(given, op::logsumexp), 3);
  EXPECT_EQ(expect_same(given, op::sum), 3);
}

TEST_F(elements_on_devices, answers_of_few_elements_are_the_first_ones) {
  case_of given;
  const std::int64_t columns = bytes_for_three / 4000;
  given.shape = {{1000, columns}, {0}};
  given.bytes.resize(std::size_t(4000 * columns), 1);
  given.axes = axis_list{{1000, 4 * columns}, {columns, 4}};
  given.how.axes = axis(0);
  EXPECT_EQ(expect_same(given, op::count_nonzero), 1);
}

TEST_F(elements_on_devices, several_operators_and_a_product) {
  const std::int64_t n = bytes_for_three / 24;
  std::vector<double> x(std::size_t(3 * n)), y(x.size());
  random_source random = onefold::test::source_of(2508, 0);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random.unit() - 0.5, y[i] = random.normal();
  const axis_list axes = {{n, 24}, {3, 8}}, places = {{3, 8}};
  const array_view a(x.data(), dtype::f64, axes), b(y.data(), dtype::f64, axes);
  options how;
  how.axes = axis(0);
  const auto answers = [&](const executor& executor) {
    std::vector<double> to(9);
    std::vector<std::int64_t> at(3);
    EXPECT_TRUE(
        reduce(executor, op_list{op::sum, op::var, op::argmax}, {a},
               {output_view(to.data(), dtype::f64, places), output_view(&to[3], dtype::f64, places),
                output_view(at.data(), dtype::i64, places)},
               how)
            .ok());
    EXPECT_TRUE(
        reduce(executor, op::dot, {a, b}, output_view(&to[6], dtype::f64, places), how).ok());
    return std::pair(to, at);
  };
  const auto wanted = answers(executor::cpu{1});
  have_devices(3);
  EXPECT_EQ(answers(executor::devices{}), wanted);
  EXPECT_EQ(devices_used(), 3);
}

TEST_F(elements_on_devices, progress_rises_to_all_and_a_nan_is_an_error) {
  case_of given;
  given.shape = {{2, bytes_for_three / 8}, {1}};
  given.bytes.resize(std::size_t(bytes_for_three));
  given.axes = axis_list{{2, bytes_for_three / 2}, {bytes_for_three / 8, 4}};
  given.how.axes = axis(1);
  std::int64_t last = 0;
  given.how.progress = [&](std::int64_t done, std::int64_t all) {
    EXPECT_GT(done, last);
    EXPECT_EQ(all, 2 * given.shape.extents[1]);
    last = done;
  };
  status done;
  have_devices(3);
  answers_on(executor::devices{}, given, op::sum, done);
  EXPECT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(last, 2 * given.shape.extents[1]);
  EXPECT_EQ(devices_used(), 3);
  given.how.progress = {};
  std::memset(given.bytes.data() + given.bytes.size() - 4, 0xff, 4);
  given.how.nan_policy = nan_policy::error;
  status on_cpu;
  answers_on(executor::cpu{1}, given, op::sum, on_cpu);
  answers_on(executor::devices{}, given, op::sum, done);
  EXPECT_FALSE(done.ok());
  EXPECT_EQ(done.code(), on_cpu.code()) << done.message();
}

}  // namespace
}  // namespace onefold::cuda::test
