// SPDX-License-Identifier: Apache-2.0
// Fast tasks against a scalar model of their documented shape: the same bits on every SIMD target,
// for every family and element type.
#include "cpu/tasks/tasks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "runtime/float_environment.hpp"
#include "state/chunk_tree.hpp"
#include "state/states.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/fast_model.hpp"

namespace onefold::test {
namespace {

constexpr std::size_t sizes[] = {1,
                                 2,
                                 63,
                                 64,
                                 65,
                                 127,
                                 1000,
                                 4097,
                                 65535,
                                 65536,
                                 65537,
                                 2 * 65536 + 1,
                                 196608,
                                 5 * 65536 - 64,
                                 7 * 65536 + 129};

constexpr int kinds = 5;

// Numbers of one binade, of many, far from zero, all equal, any bits.
template <class T>
T make_element(random_source& random, int kind, T first) {
  if constexpr (std::is_same_v<T, bool_byte>) {
    return bool_byte{static_cast<unsigned char>(random.one_in(2) ? 0 : random())};
  } else if constexpr (std::is_integral_v<T>) {
    if (kind == 3) return first;
    if (kind == 4)
      return random.one_in(2) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    return T(kind == 0 ? random.below(100) : random());
  } else {
    const auto word = bits_of<T>(random());
    if (kind == 0) return any_of_exponent<T>(random, -1);
    if (kind == 1) return any_of_exponent<T>(random, random.between(-9, 9));
    if (kind == 2) return make<T>(false, 4, word);
    if (kind == 3) return first;
    return as_float<T>(bits_of<T>(random.one_in(70000) ? word : word & ~(ieee<T>::hidden << 2)));
  }
}

template <class T>
std::vector<T> make_array(random_source& random, int kind, std::size_t n) {
  const T first = make_element<T>(random, 1, T());
  std::vector<T> x(n);
  for (T& element : x) element = make_element<T>(random, kind, first);
  return x;
}

template <class T>
ordered_state reduced(accumulator accumulator, const std::vector<T>& x, const std::vector<T>& y) {
  const float_environment sound;
  const auto task = cpu::make_fast_task(accumulator, dtype_in_memory<T>);
  chunk_tree tree(empty_ordered_state(accumulator, dtype_in_memory<T>));
  for (std::size_t i = 0; i < x.size(); i += 65536)
    tree.push(task->take(
        {&x[i], &y[i], std::int64_t(std::min<std::size_t>(65536, x.size() - i)), std::int64_t(i)}));
  return tree.value();
}

// Equal bits, where no NaN is distinguished from another.
template <class Number>
bool same(Number a, Number b) {
  if constexpr (std::is_floating_point_v<Number>)
    if (std::isnan(a) && std::isnan(b)) return true;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
void expect_same(const std::string& context, const std::vector<T>& x, const std::vector<T>& y) {
  using model = fast_model<T>;
  using total = fast_total<typename model::accumulator>;
  const auto sum_of = [&](accumulator accumulator) {
    return std::get<total>(reduced(accumulator, x, y)).value;
  };
  EXPECT_TRUE(same(sum_of(accumulator::total), model::sum(x))) << "total, " << context;
  EXPECT_TRUE(same(sum_of(accumulator::magnitudes), model::magnitudes(x)))
      << "magnitudes, " << context;
  EXPECT_TRUE(same(sum_of(accumulator::squares), model::products(x, x))) << "squares, " << context;
  EXPECT_TRUE(same(sum_of(accumulator::products), model::products(x, y)))
      << "products, " << context;
  const auto got =
      std::get<fast_moments<typename model::wide>>(reduced(accumulator::moments, x, y));
  const auto expected = model::moments(x);
  EXPECT_EQ(got.count, expected.count) << context;
  EXPECT_TRUE(same(got.mean, expected.mean)) << "mean, " << context;
  EXPECT_TRUE(same(got.squares, expected.squares)) << "squares around the mean, " << context;
}

template <class T>
class fast_tasks : public testing::Test {};
using element_types =
    testing::Types<bool_byte, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, f16, bf16, float, double>;
TYPED_TEST_SUITE(fast_tasks, element_types);

TYPED_TEST(fast_tasks, give_the_documented_bits_on_every_target) {
  std::uint64_t index = 0;
  for (const std::size_t n : sizes)
    for (int kind = 0; kind < kinds; ++kind, ++index) {
      if (!is_taken(index)) continue;
      random_source random = source_of(640 + int(dtype_in_memory<TypeParam>), index);
      const auto x = make_array<TypeParam>(random, kind, n);
      const auto y = make_array<TypeParam>(random, kind == 3 ? 1 : kind, n);
      on_each_target([&](const std::string& target) {
        expect_same(target + ", array " + std::to_string(index) + " of " + std::to_string(n) +
                        ", kind " + std::to_string(kind) + ", seed " + std::to_string(seed()),
                    x, y);
      });
    }
}

TYPED_TEST(fast_tasks, of_equal_elements_have_no_variance) {
  random_source random = source_of(660, 1);
  const std::vector<TypeParam> x(3 * 65536 + 100, make_element<TypeParam>(random, 2, TypeParam()));
  const auto got = std::get<fast_moments<typename fast_model<TypeParam>::wide>>(
      reduced(accumulator::moments, x, x));
  EXPECT_EQ(got.squares, 0);
  EXPECT_EQ(got.count, std::int64_t(x.size()));
}

// Wherever they are, in a whole row or in a last one.
TEST(fast_tasks, of_elements_that_are_not_finite_have_no_variance) {
  random_source random = source_of(661, 0);
  for (const std::size_t n : {1, 63, 64, 65, 1000, 65535, 65536, 140000})
    for (const double special : {double(INFINITY), -double(INFINITY), double(NAN)})
      for (const std::size_t at : {std::size_t(0), n / 2, n - 1}) {
        std::vector<double> x(n, random.unit());
        x[at] = special;
        on_each_target([&](const std::string& target) {
          const auto got = std::get<fast_moments<double>>(reduced(accumulator::moments, x, x));
          EXPECT_TRUE(std::isnan(got.squares)) << target << ", " << special << " at " << at;
        });
      }
}

TEST(fast_tasks, are_of_five_accumulators) {
  for (accumulator accumulator : {accumulator::extrema, accumulator::counts, accumulator::bits,
                                  accumulator::product, accumulator::exponentials})
    EXPECT_EQ(cpu::make_fast_task(accumulator, dtype::f32), nullptr);
}

}  // namespace
}  // namespace onefold::test
