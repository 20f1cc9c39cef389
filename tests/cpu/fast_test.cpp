// SPDX-License-Identifier: Apache-2.0
// The fast sum against a scalar model of its documented tree: same bits on every SIMD target, for
// every number of threads, in place or gathered, and for every element type.
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/tasks/tasks.hpp"
#include "onefold/onefold.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/fast_model.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

const options fast = {.accuracy = accuracy::fast};

// Sizes around the edges of rows and chunks, and numbers of chunks that make every shape of tree.
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> list = {0, 1, 2, 63, 64, 65, 127, 1000, 65535, 65536, 65537};
  for (std::size_t chunks = 2; chunks <= 9; ++chunks)
    list.push_back(chunks * 65536 - 17 * (chunks % 3));
  return list;
}

enum class kind { of_one_binade, wide, any_bits, zeros, specials };
constexpr kind kinds[] = {kind::of_one_binade, kind::wide, kind::any_bits, kind::zeros,
                          kind::specials};

template <class T>
std::vector<T> make_array(random_source& random, kind which, std::size_t n) {
  std::vector<T> x(n);
  for (T& element : x) {
    const auto word = bits_of<T>(random());
    if (which == kind::of_one_binade) element = any_of_exponent<T>(random, -1);
    if (which == kind::wide) element = any_of_exponent<T>(random, random.between(-9, 9));
    if (which == kind::any_bits) element = as_float<T>(bits_of<T>(word & ~(ieee<T>::hidden << 2)));
    if (which == kind::zeros) element = as_float<T>(ieee<T>::sign);
    if (which == kind::specials)
      element = random.one_in(9000)
                    ? as_float<T>(bits_of<T>(ieee<T>::infinity | (word & ieee<T>::sign)))
                    : any_of_exponent<T>(random, random.between(0, 3));
  }
  return x;
}

// The model's number in format Out. Fast sums give the canonical NaN, as exact ones do.
template <class Out, class Accumulator>
bits_of<Out> converted(Accumulator value) {
  oracle<Accumulator> one;
  one.add(&value, 1);
  return one.template value<Out>();
}

template <class Out, class T>
void expect_value(const array_view& x, typename fast_model<T>::accumulator expected, int threads,
                  const std::string& context) {
  const auto got = try_reduce<Out>(executor::cpu{threads}, op::sum, x, fast);
  ASSERT_TRUE(got.ok()) << got.why().message();
  EXPECT_EQ(hex(as_bits(*got)), hex(converted<Out>(expected)))
      << "ONEFOLD_TEST_SEED=" << seed() << ", " << context << ", " << threads << " threads";
}

// The same elements, two apart: they are gathered before they are added.
template <class T>
std::vector<T> spread_out(const std::vector<T>& x) {
  std::vector<T> wide(2 * x.size() + 1);
  for (std::size_t i = 0; i < x.size(); ++i) wide[2 * i] = x[i];
  return wide;
}

template <class T>
void try_type() {
  std::uint64_t index = 0;
  for (const std::size_t n : sizes())
    for (const kind which : kinds) {
      if (!is_taken(index++)) continue;
      random_source random = source_of(600 + sizeof(T), index - 1);
      const auto x = make_array<T>(random, which, n);
      const auto wide = spread_out(x);
      const array_view apart(wide.data(), dtype_of<T>,
                             {{std::int64_t(n), std::int64_t(2 * sizeof(T))}});
      const auto expected = fast_model<T>::sum(x);
      on_each_target([&](const std::string& target) {
        const auto context = target + ", array " + std::to_string(index - 1) + " of " +
                             std::to_string(n) + " " + std::string(ieee<T>::name);
        for (int threads : thread_counts) expect_value<T, T>(x, expected, threads, context);
        expect_value<T, T>(apart, expected, 2, context + ", two apart");
        expect_value<double, T>(x, expected, 2, context + " to f64");
        expect_value<float, T>(x, expected, 2, context + " to f32");
        expect_value<bf16, T>(x, expected, 2, context + " to bf16");
        expect_value<f16, T>(x, expected, 2, context + " to f16");
      });
    }
}

TEST(fast_sum, of_binary64_is_the_documented_tree_on_every_target_and_thread_count) {
  try_type<double>();
}
TEST(fast_sum, of_binary32_is_the_documented_tree_on_every_target_and_thread_count) {
  try_type<float>();
}
TEST(fast_sum, of_bfloat16_is_the_documented_tree_on_every_target_and_thread_count) {
  try_type<bf16>();
}
TEST(fast_sum, of_binary16_is_the_documented_tree_on_every_target_and_thread_count) {
  try_type<f16>();
}

// Every bit pattern of the narrow formats, alone: the conversion of each target is exact.
template <class T>
void try_every_element() {
  on_each_target([](const std::string& target) {
    const auto task = cpu::make_fast_task(accumulator::total, dtype_of<T>);
    for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
      const T x = as_float<T>(bits_of<T>(bits));
      const float got = std::get<fast_total<float>>(task->take({&x, nullptr, 1, 0})).value;
      const float expected = widened(x);
      const bool same = std::isnan(expected) ? std::isnan(got) : as_bits(got) == as_bits(expected);
      ASSERT_TRUE(same) << target << ": " << hex(as_bits(x)) << " reads as " << hex(as_bits(got))
                        << ", it is " << hex(as_bits(expected));
    }
  });
}

TEST(fast_sum, of_one_narrow_element_is_that_element_for_every_bit_pattern) {
  try_every_element<f16>();
  try_every_element<bf16>();
}

TEST(fast_sum, of_nothing_is_plus_zero) {
  for (dtype type : all_dtypes) {
    double value = -1;
    EXPECT_TRUE(reduce({}, op::sum, {array_view(nullptr, type, {{0, 8}})}, value, fast));
    EXPECT_EQ(as_bits(value), 0u) << name(type);
  }
}

// Longer and fewer than what one thread would take as a whole.
TEST(fast_sum, of_columns_and_rows_is_the_same_for_every_number_of_threads) {
  constexpr std::int64_t many = 300'000, few = 5;
  random_source random = source_of(831, 0);
  const auto x = make_array<float>(random, kind::wide, std::size_t(many * few));
  const view<float> columns(x.data(), {many, few}), rows(x.data(), {few, many});
  const auto sums = [](const view<float>& matrix, int over, int threads) {
    options how = fast;
    how.axes = axis(over);
    std::vector<float> answers(few);
    const output_view output(answers.data(), dtype::f32, {{few, sizeof(float)}});
    EXPECT_TRUE(reduce(executor::cpu{threads}, op::sum, {matrix}, output, how).ok());
    return answers;
  };
  for (const int threads : {2, 3, 16}) {
    EXPECT_EQ(sums(columns, 0, 1), sums(columns, 0, threads)) << threads << " threads";
    EXPECT_EQ(sums(rows, 1, 1), sums(rows, 1, threads)) << threads << " threads";
  }
}

// Sums beyond 63 bits: as many answers as one, in every floating type.
template <class Out>
void expect_rows_as_alone(op op, const view<std::int32_t>& rows) {
  options how = fast;
  how.axes = axis(1);
  const std::int64_t outputs = rows.axes()[0].extent, n = rows.axes()[1].extent;
  std::vector<Out> together(static_cast<std::size_t>(outputs));
  const output_view output(together.data(), dtype_of<Out>, {{outputs, sizeof(Out)}});
  ASSERT_TRUE(reduce(executor{}, op, {rows}, output, how).ok());
  const auto* const x = static_cast<const std::int32_t*>(rows.data());
  for (std::int64_t k = 0; k < outputs; ++k) {
    const array_view row(x + k * n, std::size_t(n));
    EXPECT_EQ(together[std::size_t(k)], *try_reduce<Out>(executor{}, op, row, fast))
        << name(op) << ", row " << k;
  }
}

TEST(fast_sum, of_many_rows_of_integers_has_the_sign_of_one_row) {
  constexpr std::int32_t least = -2147483647 - 1;
  const std::vector<std::int32_t> x = {least, least, least, 1, -7, 3};
  const view<std::int32_t> rows(x.data(), {2, 3});
  for (const op op : {op::sum, op::mean, op::norm1, op::sumsq, op::norm2}) {
    expect_rows_as_alone<double>(op, rows);
    expect_rows_as_alone<float>(op, rows);
  }
}

TEST(fast_sum, of_floats_has_no_integer_form) {
  const double x[] = {1, 2};
  std::int64_t value = 7;
  const auto done = reduce({}, op::sum, {array_view(x)}, value, fast);
  EXPECT_EQ(done.code(), status_code::unsupported);
  EXPECT_EQ(value, 7);
}

}  // namespace
}  // namespace onefold::test
