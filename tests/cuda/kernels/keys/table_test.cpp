// SPDX-License-Identifier: Apache-2.0
// Sums and means by key in a table, under the executor: the CPU's bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "onefold/keys.hpp"
#include "onefold/onefold.hpp"
#include "simt/device.hpp"
#include "support/random.hpp"
#include "tests/cuda/kernels/keys/kernels.hpp"

namespace onefold::test {
namespace {

using byte_list = std::vector<std::byte>;

struct groups_found {
  byte_list keys, answers;
  friend bool operator==(const groups_found&, const groups_found&) = default;
};

template <class K, class T>
groups_found by_cpu(op op, const std::vector<K>& keys, const std::vector<T>& x) {
  groups_found found;
  const dtype output = default_output(op, dtype_of<T>);
  const auto make = [&](std::int64_t n) -> group_outputs {
    found.keys.resize(std::size_t(n) * sizeof(K));
    found.answers.resize(std::size_t(n) * size_bytes(output));
    return {found.keys.data(),
            {found.answers.data(), output, {{n, std::int64_t(size_bytes(output))}}}};
  };
  EXPECT_TRUE(reduce_by_key(executor::cpu{1}, op, array_view(keys), array_view(x), make).ok());
  return found;
}

// A table in the executor's memory; a mutation changes its plan.
template <class K, class T>
class table_run {
 public:
  table_run(const std::vector<K>& keys, const std::vector<T>& x)
      : of_{{memory().copy(std::span<const K>(keys), "keys"), std::int64_t(keys.size()),
             cuda::kind_of(dtype_of<K>)},
            memory().copy(std::span<const T>(x), "x"),
            dtype_of<T>} {}

  std::optional<cuda::key_table> plan(bool is_mean) {
    auto* const extents = zeros<cuda::key_extents>(1, "extents");
    run_key_extents(gpu_, of_, extents);
    return cuda::table_for(of_.type, of_.keys.n, is_mean, *extents);
  }
  groups_found run(cuda::key_table table, bool is_mean) {
    const auto slots = std::size_t(table.slots);
    table.sums = zeros<std::int64_t>(std::size_t(table.copies * table.copy_words()), "sums");
    table.present = zeros<std::uint32_t>(slots + 1, "present");
    table.not_minus_zero = zeros<std::uint32_t>(slots + 1, "not_minus_zero");
    table.decided = memory().template allocate<std::uint8_t>(slots, "decided");
    run_key_sums(gpu_, of_, table);
    std::vector<std::int64_t> places(slots + 1);
    std::exclusive_scan(table.present, table.present + slots + 1, places.begin(), std::int64_t(0));
    table.places = memory().copy(std::span<const std::int64_t>(places), "places");
    const auto groups = std::size_t(places[slots]);
    auto* const keys = memory().template allocate<K>(groups, "keys of groups");
    auto* const answers = memory().template allocate<T>(groups, "answers");
    run_key_answers(gpu_, of_, table, is_mean, of_.type, answers, keys);
    for (const simt::finding& f : gpu_.report())
      ADD_FAILURE() << "seed " << seed() << ": " << f.text();
    return {bytes_of(keys, groups), bytes_of(answers, groups)};
  }

 private:
  auto& memory() { return gpu_.memory(); }
  template <class U>
  U* zeros(std::size_t n, const char* name) {
    const std::vector<U> zeros(n);
    return memory().copy(std::span<const U>(zeros), name);
  }
  template <class U>
  static byte_list bytes_of(const U* from, std::size_t n) {
    byte_list bytes(n * sizeof(U));
    if (n > 0) std::memcpy(bytes.data(), from, bytes.size());
    return bytes;
  }

  simt::device gpu_;
  cuda::key_elements of_;
};

template <class K, class T>
void expect_the_cpus(const std::vector<K>& keys, const std::vector<T>& x) {
  for (const op op : {op::sum, op::mean}) {
    table_run run(keys, x);
    const auto table = run.plan(op == op::mean);
    ASSERT_TRUE(table) << name(op) << ", seed " << seed();
    EXPECT_EQ(run.run(*table, op == op::mean), by_cpu(op, keys, x))
        << name(op) << " of " << name(dtype_of<T>) << " by " << name(dtype_of<K>) << ", seed "
        << seed();
  }
}

// Elements whose lowest bits spread over `spread` exponents.
template <class T>
std::vector<T> elements_over(random_source& random, std::size_t n, int spread) {
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  const int first = random.between(0, format::max_field - 1 - spread);
  std::vector<T> x(n);
  for (T& each : x) {
    const bits field = bits(bits(first + random.between(0, spread)) << format::fraction_bits);
    const bits sign = random.one_in(2) ? format::sign_bit : bits(0);
    each = detail::from_bits<T>(bits(field | sign | (bits(random()) & (format::hidden_bit - 1))));
    if (random.one_in(8)) each = detail::from_bits<T>(sign);
  }
  return x;
}

template <class T>
class cuda_key_table : public testing::Test {};
using float_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(cuda_key_table, float_types);

TYPED_TEST(cuda_key_table, has_the_sums_and_means_of_the_cpu) {
  using T = TypeParam;
  random_source random = source_of(1, sizeof(T) + detail::float_format<T>::precision);
  for (int i = 0; i < 6; ++i) {
    const auto n = std::size_t(random.between(200, 500));
    const std::vector<T> x =
        elements_over<T>(random, n, random.between(0, sizeof(T) == 2 ? 20 : 80));
    const int last = random.between(0, 12);
    std::vector<std::int64_t> keys(n);
    for (auto& key : keys) key = random.between(-5, last);
    expect_the_cpus(keys, x);
    expect_the_cpus(std::vector<std::uint8_t>(keys.size(), 255), x);
  }
}

template <class K>
class cuda_table_keys : public testing::Test {};
using key_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                 std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_table_keys, key_types);

TYPED_TEST(cuda_table_keys, are_listed_from_their_lowest_to_their_highest) {
  using K = TypeParam;
  random_source random = source_of(2, sizeof(K));
  for (const K first :
       {std::numeric_limits<K>::lowest(), K(0), K(std::numeric_limits<K>::max() - 20)}) {
    std::vector<K> keys(300);
    for (auto& key : keys) key = K(first + K(random.between(0, 20)));
    expect_the_cpus(keys, elements_over<float>(random, keys.size(), 5));
  }
}

template <class T>
std::vector<T> four_times(const std::vector<T>& once) {
  std::vector<T> all;
  for (int i = 0; i < 4; ++i) all.insert(all.end(), once.begin(), once.end());
  return all;
}

// Their keys are listed, and the sign of zero is that of IEEE 754: -0 of -0 alone.
TEST(cuda_key_table, distinguishes_groups_of_zeros_from_keys_without_elements) {
  const std::vector<std::int32_t> keys = {9, 2, 2, 4, 4, 6, 6, 8, 8, 8, 0, 0, 1};
  const std::vector<float> x = {-0.0f, 1, -1, -0.0f, -0.0f, 0, -0.0f, 3, -1, -2, 0, 0, 2};
  expect_the_cpus(four_times(keys), four_times(x));
}
TEST(cuda_key_table, of_zeros_alone_has_one_word) {
  const std::vector<std::int32_t> keys = {2, 1, 1, 2, 1, 2, 3, 3};
  expect_the_cpus(four_times(keys),
                  four_times(std::vector<float>{0, -0.0f, -0.0f, -0.0f, -0.0f, 0, -0.0f, -0.0f}));
}

// The largest elements of a word, all of one sign and one key: the bound of window_of is met to
// within one part in 2^24. One exponent more in a word is too many.
TEST(cuda_key_table, holds_the_largest_elements_and_no_larger_ones) {
  constexpr std::size_t n = 1 << 12;
  constexpr int window = cuda::window_of(dtype::f32, n);
  const float least = 0x1p-126f, largest = std::ldexp(0x1.FFFFFEp+0f, window - 1 - 126);
  std::vector<float> x(n, largest);
  std::vector<std::int32_t> keys(n, 5);
  x[0] = least, keys[0] = 4;
  table_run run(keys, x);
  auto table = run.plan(false);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->words, 1);
  EXPECT_EQ(run.run(*table, false), by_cpu(op::sum, keys, x));
  for (std::size_t i = 1; i < n; ++i) x[i] = 2 * largest;
  table_run wider(keys, x);
  table = wider.plan(false);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->words, 2);
  EXPECT_EQ(wider.run(*table, false), by_cpu(op::sum, keys, x));
  table->words = 1, table->window += 1;
  EXPECT_NE(wider.run(*table, false), by_cpu(op::sum, keys, x));
}

TEST(cuda_key_table, is_not_planned_for_what_it_does_not_suit) {
  const std::vector<std::int64_t> close(100, 7);
  std::vector<std::int64_t> far = close;
  far[50] = std::numeric_limits<std::int64_t>::min(),
  far[51] = std::numeric_limits<std::int64_t>::max();
  const std::vector<float> ones(100, 1);
  const auto is_planned = [](const auto& keys, const auto& x) {
    return table_run(keys, x).plan(false).has_value();
  };
  EXPECT_TRUE(is_planned(close, ones));
  EXPECT_FALSE(is_planned(far, ones));
  far = close, far[3] = 57;
  EXPECT_FALSE(is_planned(far, ones)) << "51 slots for 100 elements";
  far[3] = 56;
  EXPECT_TRUE(is_planned(far, ones)) << "50 slots for 100 elements";
  for (const float odd : {INFINITY, -INFINITY, NAN}) {
    std::vector<float> x = ones;
    x[77] = odd;
    EXPECT_FALSE(is_planned(close, x)) << odd;
  }
  std::vector<double> spread(100, 1);
  spread[1] = 0x1p-1000;
  EXPECT_FALSE(is_planned(close, spread));
}

}  // namespace
}  // namespace onefold::test
