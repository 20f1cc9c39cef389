// SPDX-License-Identifier: Apache-2.0
// Reductions of what a function makes of the elements: the bits of the mapped values as an array.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "onefold/onefold.hpp"
#include "support/each_target.hpp"
#include "support/oracle.hpp"
#include "support/views.hpp"

namespace onefold::test {
namespace {

// From bits of an element to a value of another type: finite, and of both signs.
const auto to_double = [](std::int32_t x) { return x * 0x1.8p-7; };
const auto to_float = [](double x) { return float(std::fmod(x, 64)); };
const auto to_long = [](float x) {
  return std::isfinite(x) ? std::int64_t(std::fmod(x, 1e6f)) : std::int64_t(7);
};
const auto to_bool = [](std::uint8_t x) { return x > 100; };
const auto to_short = [](std::int64_t x) { return std::int16_t(x % 1000); };

void make_row_major(random_view& x) {
  std::vector<std::int64_t> extents;
  for (const auto& axis : x.axes) extents.push_back(axis.extent);
  const auto item = std::int64_t(size_bytes(x.type));
  x.axes = row_major(extents, item);
  std::int64_t items = 1;
  for (const std::int64_t extent : extents) items *= extent;
  x.before = 0;
  x.memory.assign(std::size_t(items * item) + 16, std::byte(0));
}

template <class From, class Map>
void try_maps(std::uint64_t stream, const Map& map, op op) {
  using To = std::invoke_result_t<Map, From>;
  for (std::uint64_t k = 0; k < 60 && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(stream, k * 32 + std::uint64_t(op));
    auto x = make_view(random, dtype_of<From>, random.between(0, 3), k % 10 ? 2000 : 200'000);
    // The order of products is that of memory, which the mapped array does not share.
    if (op == op::prod) make_row_major(x);
    walk(x.axes, [&](std::int64_t offset) {
      const From element = From(random.between(-100'000, 100'000));
      std::memcpy(x.memory.data() + x.before + offset, &element, sizeof element);
    });
    std::vector<char> made_memory;  // vector<bool> has no elements to point to
    for (const From element : gathered<From>(x.origin(), x.axes)) {
      const To y = map(element);
      made_memory.insert(made_memory.end(), reinterpret_cast<const char*>(&y),
                         reinterpret_cast<const char*>(&y) + sizeof y);
    }
    std::vector<std::int64_t> extents;
    for (const auto& axis : x.axes) extents.push_back(axis.extent);
    const array_view made(made_memory.data(), dtype_of<To>, row_major(extents, sizeof(To)));
    options how{.correction = 1, .first_index = 3};
    if (x.axes.size() > 1 && random.one_in(2)) how.axes = axis(random.between(-1, 0));
    const dtype type = default_output(op, dtype_of<To>);
    const auto shape = answer_shape(made, how);
    std::int64_t outputs = 1;
    for (const std::int64_t extent : shape) outputs *= extent;
    const auto item = std::int64_t(size_bytes(type));
    std::vector<std::byte> right(std::size_t(outputs * item)), got(right.size());
    const auto expected =
        reduce(executor::cpu{1}, op, {made}, {right.data(), type, row_major(shape, item)}, how);
    const auto done = reduce_mapped(executor::cpu{random.between(1, 3)}, op, x.view(), dtype_of<To>,
                                    detail::map_of<From, To>(map),
                                    {got.data(), type, row_major(shape, item)}, how);
    ASSERT_EQ(done.code(), expected.code()) << done.message();
    if (done.ok()) {
      EXPECT_EQ(got, right) << "ONEFOLD_TEST_SEED=" << seed() << ", " << name(op) << ", view " << k
                            << ": " << text_of(x);
    }
  }
}

TEST(mapped_reduction, gives_the_bits_of_the_mapped_array_for_every_operator) {
  for (const op op : all_ops) {
    if (op == op::dot || op == op::minmax) continue;
    if (op != op::bit_and && op != op::bit_or && op != op::bit_xor) {
      try_maps<std::int32_t>(5600, to_double, op);
      try_maps<double>(5700, to_float, op);
    }
    try_maps<float>(5800, to_long, op);
    try_maps<std::uint8_t>(5900, to_bool, op);
    try_maps<std::int64_t>(6000, to_short, op);
  }
}

TEST(mapped_reduction, has_named_sums_and_maxima) {
  std::vector<float> x(100'000);
  std::vector<double> squares;
  random_source random = source_of(6100, 0);
  for (auto& element : x)
    element = float(random.unit()), squares.push_back(double(element) * element);
  const auto square = [](float value) { return double(value) * value; };
  oracle<double> right;
  right.add(squares.data(), std::int64_t(squares.size()));
  EXPECT_EQ(hex(as_bits(sum(x, square))), hex(right.value()));
  EXPECT_EQ(max(x, square), *std::max_element(squares.begin(), squares.end()));
  EXPECT_EQ(argmax(x, square), std::max_element(squares.begin(), squares.end()) - squares.begin());
  EXPECT_EQ(count(x, square), 100'000);
  EXPECT_TRUE(all(x, [](float value) { return value <= 1; }));
  EXPECT_EQ(try_sum(std::vector<float>(), square).value(), 0.0);
}

TEST(mapped_reduction, has_the_operators_of_the_mapped_type_not_of_the_elements) {
  const std::vector<double> x = {5, 3, 9};
  EXPECT_EQ(bit_xor(x, [](double value) { return int(value); }), 5 ^ 3 ^ 9);
  const std::vector<std::int32_t> n = {5, 3, 9};
  const auto refused = try_bit_and(n, [](std::int32_t value) { return value * 0.5; });
  EXPECT_EQ(refused.why().code(), status_code::unsupported) << refused.why().message();
  EXPECT_EQ(sum(n, [](std::int32_t value) { return value * 0.5; }, {.initial = 0.25}), 8.75);
  const auto half = try_sum(x, [](double value) { return int(value); }, {.initial = 0.5});
  EXPECT_EQ(half.why().code(), status_code::mismatch) << half.why().message();
}

TEST(mapped_reduction, leaves_out_what_the_mask_leaves_out) {
  const std::vector<std::int32_t> x = {1, 2, 3, 4};
  const unsigned char keep[] = {1, 0, 0, 2};
  const auto half = [](std::int32_t value) { return value * 0.5; };
  EXPECT_EQ(sum(x, half, {.where = array_view(keep, dtype::boolean, {{4, 1}})}), 2.5);
}

TEST(mapped_reduction, passes_on_what_the_function_throws) {
  const std::vector<std::int32_t> x(300'000, 1);
  const auto refuse = [](std::int32_t) -> double { throw std::domain_error("no"); };
  EXPECT_THROW((void)try_sum(x, refuse), std::domain_error);
}

TEST(mapped_reduction, refuses_an_output_of_another_shape) {
  const std::vector<std::int32_t> x(6, 1);
  const auto half = [](std::int32_t value) { return value * 0.5; };
  double answers[2];
  const output_view two(answers, dtype::f64, {{2, 8}});
  const auto done =
      reduce_mapped({}, op::sum, x, dtype::f64, detail::map_of<std::int32_t, double>(half), two);
  EXPECT_EQ(done.code(), status_code::mismatch);
}

}  // namespace
}  // namespace onefold::test
