// SPDX-License-Identifier: Apache-2.0
// What must not change a bit of a reduction by key (order, threads, strides), what it refuses, and
// groups that outgrow their compact sums.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>

#include "onefold/onefold.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

using keys_of = std::vector<std::int64_t>;

template <class T>
std::vector<bits_of<T>> bits_of_all(const array<T>& answers) {
  std::vector<bits_of<T>> bits;
  for (const T each : answers) bits.push_back(as_bits(each));
  return bits;
}

// One long group among many of one or two elements.
keys_of skewed_keys(random_source& random, std::size_t n) {
  keys_of keys(n);
  for (auto& key : keys)
    key = random.one_in(2) ? -7 : std::int64_t(random.below(std::uint64_t(n)) * 1'000'003);
  return keys;
}

template <op What>
void expect_same_bits(const keys_of& keys, const std::vector<double>& x, random_source& random) {
  const auto once = by_key<What>(keys, x);
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  shuffle(random, order.data(), order.size());
  keys_of moved_keys;
  std::vector<double> moved;
  for (const std::size_t i : order) moved_keys.push_back(keys[i]), moved.push_back(x[i]);
  const auto again = by_key<What>(moved_keys, moved);
  EXPECT_EQ(once.keys, again.keys);
  EXPECT_EQ(bits_of_all(once.answers), bits_of_all(again.answers)) << seed() << name(What);
}

TEST(keys_order, of_the_input_changes_no_bit) {
  for (std::uint64_t k = 0; k < 30; ++k) {
    if (!is_taken(k)) continue;
    random_source random = source_of(3500, k);
    const std::size_t n = 100 + random.below(30'000);
    std::vector<double> x(n);
    const auto& family = families<double>()[k % families<double>().size()];
    family.fill(random, x.data(), n);
    const keys_of keys = skewed_keys(random, n);
    expect_same_bits<op::sum>(keys, x, random);
    expect_same_bits<op::mean>(keys, x, random);
    expect_same_bits<op::var>(keys, x, random);
    expect_same_bits<op::max>(keys, x, random);
  }
}

struct answers_of_threads {
  keys_of keys;
  std::vector<double> answers;
};

answers_of_threads run_on(int threads, op op, const keys_of& keys, const std::vector<double>& x) {
  answers_of_threads made;
  const auto make = [&](std::int64_t groups) -> group_outputs {
    made.keys.resize(std::size_t(groups)), made.answers.resize(std::size_t(groups));
    return {made.keys.data(), {made.answers.data(), dtype::f64, {{groups, 8}}}};
  };
  auto done = reduce_by_key(executor::cpu{threads}, op, keys, x, make);
  EXPECT_TRUE(done.ok()) << done.message();
  return made;
}

TEST(keys_order, of_threads_changes_no_bit) {
  random_source random = source_of(3600, 0);
  const std::size_t n = 300'000;
  const keys_of keys = skewed_keys(random, n);
  std::vector<double> x(n);
  for (double& each : x) each = any_of_exponent<double>(random, random.between(-90, 90));
  for (const op op : {op::sum, op::mean, op::norm1, op::prod, op::argmax}) {
    const auto alone = run_on(1, op, keys, x);
    for (const int threads : {2, 3, 8}) {
      const auto many = run_on(threads, op, keys, x);
      ASSERT_EQ(alone.keys, many.keys) << seed();
      ASSERT_EQ(std::memcmp(alone.answers.data(), many.answers.data(), 8 * alone.keys.size()), 0)
          << seed() << " " << name(op) << " " << threads;
    }
  }
}

TEST(keys_order, groups_that_spill_are_exact) {
  for (std::uint64_t k = 0; k < 20; ++k) {
    random_source random = source_of(3700, k);
    const std::size_t n = 20'000, groups = 1 + random.below(3000);
    keys_of keys(n);
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = std::int64_t(random.below(groups));
      // Every element comes twice with two signs, but for what is far below.
      x[i] = i % 3 == 2   ? any_of_exponent<double>(random, random.between(-1000, -600))
             : i % 3 == 1 ? -x[i - 1]
                          : any_of_exponent<double>(random, random.between(-300, 1023));
      if (i % 3 == 1) keys[i] = keys[i - 1];
    }
    std::map<std::int64_t, oracle<double>> expected;
    for (std::size_t i = 0; i < n; ++i) expected[keys[i]].add(&x[i], 1);
    const auto made = by_key<op::sum>(keys, x);
    ASSERT_EQ(made.keys.size(), std::int64_t(expected.size()));
    std::int64_t at = 0;
    for (const auto& [key, sum] : expected)
      ASSERT_EQ(hex(as_bits(made.answers[at++])), hex(sum.value())) << seed() << " " << key;
  }
}

TEST(keys_order, views_may_have_any_strides) {
  random_source random = source_of(3800, 0);
  struct record {
    char before;
    std::int32_t key;
    float x;
  };
  for (const std::int64_t n : {1, 2, 50'000}) {
    std::vector<record> records(static_cast<std::size_t>(n));
    std::vector<std::int32_t> keys;
    std::vector<float> x;
    for (record& each : records) {
      each = {'x', random.between(-50, 50), float(random.normal())};
      keys.push_back(each.key), x.push_back(each.x);
    }
    std::reverse(keys.begin(), keys.end()), std::reverse(x.begin(), x.end());
    const record& last = records.back();
    const auto stride = -std::int64_t(sizeof(record));
    const array_view key_view(&last.key, dtype::i32, {{n, stride}});
    const array_view x_view(&last.x, dtype::f32, {{n, stride}});
    for (const op op : {op::sum, op::argmax, op::stddev}) {
      std::int64_t groups = 0;
      std::vector<std::int32_t> found_keys(200), same_keys(200);
      std::vector<double> found(200), same(200);
      const auto into = [&](std::vector<std::int32_t>& k, std::vector<double>& a) {
        return [&](std::int64_t count) -> group_outputs {
          groups = count;
          return {k.data(), {a.data(), dtype::f64, {{count, 8}}}};
        };
      };
      ASSERT_TRUE(reduce_by_key({}, op, key_view, x_view, into(found_keys, found)));
      ASSERT_TRUE(reduce_by_key({}, op, keys, x, into(same_keys, same)));
      EXPECT_GT(groups, 0);
      EXPECT_EQ(found_keys, same_keys);
      EXPECT_EQ(found, same) << name(op);
    }
  }
}

TEST(keys_order, no_elements_have_no_groups) {
  const keys_of none;
  const std::vector<double> x;
  EXPECT_EQ((by_key<op::sum>(none, x).keys.size()), 0);
  EXPECT_EQ((by_key<op::min>(none, x).answers.size()), 0);
  EXPECT_EQ((by_key<op::minmax>(none, x).answers.shape()), (std::vector<std::int64_t>{0, 2}));
}

TEST(keys_order, the_least_and_the_largest_integers_are_keys) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const keys_of keys = {most, 0, least, -1, most, 0};
  const auto made = by_key<op::sum>(keys, std::vector<int>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(keys_of(made.keys.begin(), made.keys.end()), (keys_of{least, -1, 0, most}));
  EXPECT_EQ(keys_of(made.answers.begin(), made.answers.end()), (keys_of{3, 4, 8, 6}));
  const auto flags = by_key<op::count>(std::array{true, false, true}, std::vector<float>{1, 2, 3});
  EXPECT_EQ(flags.keys[0], false);
  EXPECT_EQ(flags.answers[1], 2);
}

// --- refusals ----------------------------------------------------------------

void refuses(status_code code, std::string_view says, op op, const array_view& keys,
             const array_view& x, const options& how = {}) {
  double memory[64];
  const auto make = [&](std::int64_t groups) -> group_outputs {
    return {memory, {memory + 32, dtype::f64, {{groups, 8}}}};
  };
  const auto done = reduce_by_key({}, op, keys, x, make, how);
  EXPECT_EQ(done.code(), code) << done.message();
  EXPECT_NE(done.message().find(says), std::string::npos) << done.message();
}

TEST(keys_order, refusals_name_the_fault_and_the_remedy) {
  const std::vector<int> keys = {3, 1, 3};
  const std::vector<double> x = {1, 2, std::nan("")};
  const view<double> square(x.data(), {1, 3});
  refuses(status_code::unsupported, "bit_cast", op::sum, std::vector<double>{1, 2, 3}, x);
  refuses(status_code::unsupported, "multiply first", op::dot, keys, x);
  refuses(status_code::mismatch, "2 keys for 3 values", op::sum, std::vector<int>{1, 2}, x);
  refuses(status_code::mismatch, "one axis", op::sum, keys, square);
  options how;
  how.nan_policy = nan_policy::error;
  for (const op op : {op::sum, op::mean, op::count, op::min, op::var})
    refuses(status_code::not_a_number, "nan=omit", op, keys, x, how);
  how.nan_policy = nan_policy::omit;
  refuses(status_code::empty, "initial", op::min, std::vector<int>{3, 1, 2}, x, how);
}

TEST(keys_order, refuses_outputs_of_another_shape_or_type) {
  const std::vector<int> keys = {3, 1, 3};
  const std::vector<double> x = {1, 2, 3};
  std::int64_t memory[8];
  const auto wrong_shape = [&](std::int64_t groups) -> group_outputs {
    return {memory, {memory, dtype::i64, {{groups + 1, 8}}}};
  };
  const auto integers = [&](std::int64_t groups) -> group_outputs {
    return {memory, {memory, dtype::i64, {{groups, 8}}}};
  };
  EXPECT_EQ(reduce_by_key({}, op::sum, keys, x, wrong_shape).code(), status_code::mismatch);
  EXPECT_EQ(reduce_by_key({}, op::sum, keys, x, integers).code(), status_code::unsupported);
  const auto bytes = [&](std::int64_t groups) -> group_outputs {
    return {memory, {memory + 4, dtype::u8, {{groups, 1}}}};
  };
  const std::vector<int> large = {200, 1, 100};
  EXPECT_EQ(reduce_by_key({}, op::sum, keys, large, bytes).code(), status_code::overflow);
}

TEST(keys_order, stops_where_the_caller_asks) {
  const std::vector<int> keys = {3, 1, 3};
  const std::vector<double> x = {1, 2, 3};
  std::stop_source source;
  source.request_stop();
  options how;
  how.stop = source.get_token();
  EXPECT_EQ((try_by_key<op::sum>(keys, x, how).why().code()), status_code::cancelled);
  EXPECT_EQ((try_by_key<op::prod>(keys, x, how).why().code()), status_code::cancelled);
}

}  // namespace
}  // namespace onefold::test
