// SPDX-License-Identifier: Apache-2.0
// Reduction by key against a map of lists of elements, each reduced by itself.
#include "onefold/keys.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "onefold/onefold.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

// --- keys --------------------------------------------------------------------

template <class K>
using key_family = std::vector<K> (*)(random_source&, std::size_t);

template <class K>
std::vector<K> all_equal(random_source& random, std::size_t n) {
  return std::vector<K>(n, K(random()));
}
template <class K>
std::vector<K> any_keys(random_source& random, std::size_t n) {
  std::vector<K> keys(n);
  for (K& key : keys) key = K(random());
  return keys;
}
template <class K>
std::vector<K> few_keys(random_source& random, std::size_t n) {
  std::vector<K> keys(n);
  const auto first = random();
  for (K& key : keys) key = K(first + random.below(9));
  return keys;
}
// Key k about 1/k as often as key 1.
template <class K>
std::vector<K> zipf_keys(random_source& random, std::size_t n) {
  std::vector<K> keys(n);
  for (K& key : keys) key = K(std::int64_t(std::exp(std::log(double(n + 1)) * random.unit())));
  return keys;
}
template <class K>
std::vector<K> ascending_keys(random_source& random, std::size_t n) {
  auto keys = random.one_in(2) ? any_keys<K>(random, n) : zipf_keys<K>(random, n);
  std::sort(keys.begin(), keys.end());
  return keys;
}
// Runs of equal keys, a key in several of them.
template <class K>
std::vector<K> runs_of_keys(random_source& random, std::size_t n) {
  std::vector<K> keys(n);
  K key = K(random());
  for (K& each : keys) {
    if (random.one_in(7)) key = K(random.below(n / 20 + 3));
    each = key;
  }
  return keys;
}
template <class K>
std::vector<K> one_long_group(random_source& random, std::size_t n) {
  auto keys = any_keys<K>(random, n);
  const K repeated = K(random());
  for (K& key : keys)
    if (random.one_in(2)) key = repeated;
  return keys;
}
// Ascending but for the last one.
template <class K>
std::vector<K> late_descent(random_source& random, std::size_t n) {
  auto keys = ascending_keys<K>(random, n);
  if (n > 0) keys.back() = std::numeric_limits<K>::min();
  return keys;
}

template <class K>
constexpr key_family<K> key_families[] = {all_equal<K>,      any_keys<K>,       few_keys<K>,
                                          zipf_keys<K>,      ascending_keys<K>, runs_of_keys<K>,
                                          one_long_group<K>, late_descent<K>};

// --- sums against GMP --------------------------------------------------------

template <class K, class T>
std::map<K, std::vector<T>> grouped(const std::vector<K>& keys, const std::vector<T>& x) {
  std::map<K, std::vector<T>> groups;
  for (std::size_t i = 0; i < x.size(); ++i) groups[keys[i]].push_back(x[i]);
  return groups;
}

// The sum of every group, as the oracle has it, in the order of the keys.
template <class K, class T>
void expect_sums(const std::vector<K>& keys, const std::vector<T>& x) {
  const auto made = by_key<op::sum>(keys, x);
  const auto expected = grouped(keys, x);
  ASSERT_EQ(made.keys.size(), std::int64_t(expected.size()));
  ASSERT_EQ(made.answers.size(), made.keys.size());
  std::int64_t k = 0;
  for (const auto& [key, elements] : expected) {
    oracle<T> sum;
    sum.add(elements.data(), std::int64_t(elements.size()));
    ASSERT_EQ(made.keys[k], key);
    ASSERT_EQ(hex(as_bits(made.answers[k])), hex(sum.value())) << "key " << +key;
    ++k;
  }
}

template <class K, class T>
void try_sums() {
  std::uint64_t k = 0;
  for (const auto& values : families<T>())
    for (const auto& make : key_families<K>) {
      random_source random = source_of(3100 + sizeof(T) + 16 * sizeof(K), k++);
      const std::size_t n = 1 + random.below(k % 9 == 0 ? 40'000 : 600);
      std::vector<T> x(n);
      values.fill(random, x.data(), n);
      SCOPED_TRACE(testing::Message()
                   << "ONEFOLD_TEST_SEED=" << seed() << " " << values.name << " " << k);
      expect_sums(make(random, n), x);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(keys, have_the_sums_of_their_groups_of_f64) {
  try_sums<std::int64_t, double>();
}
TEST(keys, have_the_sums_of_their_groups_of_f32) {
  try_sums<std::uint32_t, float>();
}
TEST(keys, have_the_sums_of_their_groups_of_bf16) {
  try_sums<std::int16_t, bf16>();
}
TEST(keys, have_the_sums_of_their_groups_of_f16) {
  try_sums<std::uint8_t, f16>();
}

// --- every operator, as over the group alone -----------------------------------

struct request {
  onefold::op op;
  options how;
};

struct outcome {
  status_code code = status_code::ok;
  std::string bytes;
};

outcome reduced(const request& by, const array_view& x, dtype type) {
  char answer[16] = {};
  const auto item_bytes = std::int64_t(size_bytes(type)), each = std::int64_t(answers_of(by.op));
  const output_view to =
      each == 1 ? output_view(answer, type) : output_view(answer, type, {{each, item_bytes}});
  const auto done = reduce(executor{}, by.op, {x}, to, by.how);
  return {done.code(), std::string(answer, std::size_t(item_bytes * each))};
}

struct by_key_answers {
  status done;
  std::vector<std::byte> keys, answers;
  std::int64_t groups = -1;
};

by_key_answers run(const request& by, const array_view& keys, const array_view& x, dtype type,
                   int threads = 0) {
  by_key_answers made;
  const int each = answers_of(by.op);
  const auto make = [&](std::int64_t groups) -> group_outputs {
    made.groups = groups;
    made.keys.resize(std::size_t(groups) * size_bytes(keys.type()));
    made.answers.resize(std::size_t(groups * each) * size_bytes(type));
    const std::int64_t extents[] = {groups, each};
    const auto axes = row_major(std::span(extents, each > 1 ? 2 : 1), int(size_bytes(type)));
    return {made.keys.data(), {made.answers.data(), type, axes}};
  };
  made.done = reduce_by_key(threads > 0 ? executor::cpu{threads} : executor::cpu{}, by.op, keys, x,
                            make, by.how);
  return made;
}

// The elements and the mask of one group, in the order of the input.
template <class T>
struct group {
  std::vector<T> x;
  std::vector<unsigned char> mask;
  std::vector<std::int64_t> places;
};

template <class T>
outcome expected_of(request by, const group<T>& group, dtype type) {
  if (by.how.where) by.how.where = array_view(group.mask);
  const bool position = by.op == op::argmin || by.op == op::argmax;
  const std::int64_t first = std::exchange(by.how.first_index, 0);
  outcome found = reduced(by, array_view(group.x), type);
  if (!position || found.code != status_code::ok) return found;
  std::int64_t at;
  std::memcpy(&at, found.bytes.data(), sizeof at);
  at = group.places[std::size_t(at)] + first;
  return {status_code::ok, std::string(reinterpret_cast<const char*>(&at), sizeof at)};
}

template <class K, class T>
std::map<K, group<T>> groups_of(const std::vector<K>& keys, const std::vector<T>& x,
                                const std::vector<unsigned char>& mask) {
  std::map<K, group<T>> made;
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto& group = made[keys[i]];
    group.x.push_back(x[i]), group.mask.push_back(mask[i]), group.places.push_back(std::int64_t(i));
  }
  return made;
}

// All groups have their answers, or one that has none names the status.
template <class K, class T>
void expect_groups(const request& by, const std::vector<K>& keys, const std::vector<T>& x,
                   const std::vector<unsigned char>& mask) {
  const dtype type = default_output(by.op, dtype_of<T>);
  std::string expected_keys, expected;
  std::set<status_code> refusals;
  for (const auto& [key, group] : groups_of(keys, x, mask)) {
    const outcome one = expected_of(by, group, type);
    if (one.code != status_code::ok) refusals.insert(one.code);
    expected_keys.append(reinterpret_cast<const char*>(&key), sizeof key);
    expected += one.bytes;
  }
  const auto made = run(by, array_view(keys), array_view(x), type);
  const auto text = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (!refusals.empty()) {
    ASSERT_EQ(refusals.count(made.done.code()), 1u) << made.done.message();
    return;
  }
  ASSERT_TRUE(made.done.ok()) << made.done.message();
  ASSERT_EQ(text(made.keys), expected_keys);
  ASSERT_EQ(text(made.answers), expected);
}

template <class T>
std::vector<T> tame(random_source& random, std::size_t n) {
  std::vector<T> x(n);
  for (T& each : x) {
    const double value = random.between(-20, 20) * 0.5;
    if constexpr (std::is_integral_v<T>) {
      each = T(std::int64_t(value));
    } else {
      exact_sum<double> one;
      one.add(random.one_in(50) ? std::nan("") : random.one_in(9) ? random.normal() : value);
      each = one.value<T>();
    }
  }
  return x;
}

template <class K, class T>
void try_operators() {
  std::uint64_t k = 0;
  for (const op op : all_ops) {
    const bool unserved =
        op == op::dot || (!std::is_integral_v<T> && op >= op::bit_and && op <= op::bit_xor);
    for (int i = 0; i < 24 && !unserved; ++i) {
      random_source random = source_of(3300 + std::uint64_t(dtype_of<T>), k);
      if (!is_taken(k++)) continue;
      const std::size_t n = random.below(i % 8 == 0 ? 30'000 : 300);
      const auto keys = key_families<K>[random.below(8)](random, n);
      std::vector<unsigned char> mask(n);
      for (auto& each : mask) each = !random.one_in(6);
      request by = {op, {}};
      by.how.nan_policy = std::array{nan_policy::propagate, nan_policy::omit,
                                     nan_policy::error}[random.below(i % 3 == 0 ? 3 : 2)];
      by.how.first_index = std::int64_t(random.below(1000));
      by.how.correction = double(random.below(3)) / 2;
      if (random.one_in(4)) by.how.accuracy = accuracy::fast;
      const bool position = op == op::argmin || op == op::argmax;
      if (!position && random.one_in(3)) by.how.where = array_view(mask);
      if (random.one_in(4) && (op == op::sum || op == op::min || op == op::prod))
        by.how.initial = scalar(3);
      SCOPED_TRACE(testing::Message() << "ONEFOLD_TEST_SEED=" << seed() << " " << name(op) << " "
                                      << name(dtype_of<T>) << " " << k - 1);
      expect_groups(by, keys, tame<T>(random, n), mask);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(keys, have_every_answer_of_each_group_alone_of_f64) {
  try_operators<std::int32_t, double>();
}
TEST(keys, have_every_answer_of_each_group_alone_of_f32) {
  try_operators<std::uint64_t, float>();
}
TEST(keys, have_every_answer_of_each_group_alone_of_i64) {
  try_operators<std::int8_t, std::int64_t>();
}
TEST(keys, have_every_answer_of_each_group_alone_of_u8) {
  try_operators<std::uint16_t, std::uint8_t>();
}
TEST(keys, have_every_answer_of_each_group_alone_of_bf16) {
  try_operators<std::int64_t, bf16>();
}

}  // namespace
}  // namespace onefold::test
