// SPDX-License-Identifier: Apache-2.0
// Fast reductions over an axis, by the public functions: rows are the documented tree, columns
// groups and bands of rows where the column loops serve the operator, else the tree; the same on
// any threads.
#include <gtest/gtest.h>

#include <cmath>

#include "onefold/onefold.hpp"
#include "support/column_model.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/fast_model.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

constexpr op tried[] = {op::sum,   op::mean, op::norm1, op::norm2,
                        op::sumsq, op::dot,  op::var,   op::stddev};

// What the operator adds up of element i.
template <class T>
typename fast_model<T>::accumulator term(op op, T x, T y) {
  const auto a = widened(x), b = widened(y);
  if (op == op::norm1) return magnitude(a);
  if (op == op::dot) return a * b;
  if (op == op::sumsq || op == op::norm2) return a * a;
  return a;
}

template <class T>
typename fast_model<T>::accumulator tree_sum(op op, const std::vector<T>& x,
                                             const std::vector<T>& y) {
  if (op == op::norm1) return fast_model<T>::magnitudes(x);
  if (op == op::dot) return fast_model<T>::products(x, y);
  if (op == op::sumsq || op == op::norm2) return fast_model<T>::products(x, x);
  return fast_model<T>::sum(x);
}

template <class T>
typename fast_model<T>::accumulator sum_by_bands(op op, const std::vector<T>& x,
                                                 const std::vector<T>& y) {
  std::vector<typename fast_model<T>::accumulator> terms;
  for (std::size_t i = 0; i < x.size(); ++i) terms.push_back(term(op, x[i], y[i]));
  return column_sum(terms, terms.size());
}

template <class Out, class Number>
bits_of<Out> converted(Number value) {
  oracle<Number> one;
  one.add(&value, 1);
  return one.template value<Out>();
}

template <class T>
bits_of<T> model(op op, const std::vector<T>& x, const std::vector<T>& y, bool columns) {
  if (op == op::var || op == op::stddev) {
    const auto parts = fast_model<T>::moments(x);
    const double variance = double(parts.squares) / double(parts.count - 1);
    return converted<T>(op == op::var ? variance : std::sqrt(variance));
  }
  const auto sum = columns ? sum_by_bands(op, x, y) : tree_sum(op, x, y);
  if (op == op::mean) return converted<T>(double(sum) / double(x.size()));
  if (op == op::norm2) return converted<T>(std::sqrt(double(sum)));
  return converted<T>(sum);
}

template <class T>
std::vector<T> make_array(random_source& random, std::size_t n) {
  std::vector<T> x(n);
  const int spread = random.between(0, 3);
  for (T& element : x) element = any_of_exponent<T>(random, random.between(-spread, spread));
  return x;
}

// The elements of one answer of a matrix of `rows` rows.
template <class T>
std::vector<T> elements_of(const std::vector<T>& x, std::size_t rows, std::size_t k, bool columns) {
  const std::size_t width = x.size() / rows;
  if (!columns) return {x.begin() + k * width, x.begin() + (k + 1) * width};
  std::vector<T> column;
  for (std::size_t i = 0; i < rows; ++i) column.push_back(x[i * width + k]);
  return column;
}

template <class T>
void try_matrix(random_source& random, op op, std::size_t rows, std::size_t width, bool columns,
                const std::string& where) {
  const auto x = make_array<T>(random, rows * width), y = make_array<T>(random, rows * width);
  const view<T> left(x.data(), {std::int64_t(rows), std::int64_t(width)});
  const view<T> right(y.data(), {std::int64_t(rows), std::int64_t(width)});
  const options how{.accuracy = accuracy::fast, .axes = axis(columns ? 0 : 1), .correction = 1};
  const std::size_t outputs = columns ? width : rows;
  std::vector<bits_of<T>> expected;
  for (std::size_t k = 0; k < outputs; ++k)
    expected.push_back(
        model(op, elements_of(x, rows, k, columns), elements_of(y, rows, k, columns), columns));
  for (const int threads : thread_counts) {
    std::vector<T> answers(outputs);
    const output_view output(answers.data(), dtype_of<T>,
                             {{std::int64_t(outputs), std::int64_t(sizeof(T))}});
    const auto done = op == op::dot ? reduce(executor::cpu{threads}, op, {left, right}, output, how)
                                    : reduce(executor::cpu{threads}, op, {left}, output, how);
    ASSERT_TRUE(done.ok()) << done.message();
    for (std::size_t k = 0; k < outputs; ++k)
      ASSERT_EQ(hex(as_bits(answers[k])), hex(expected[k]))
          << where << ", " << (columns ? "column " : "row ") << k << ", " << threads << " threads";
  }
}

template <class T>
void try_type(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(160, 16)); ++k) {
    random_source random = source_of(stream, k);
    const op op = tried[random.below(std::size(tried))];
    const bool columns = random.one_in(2);
    std::size_t rows = 1 + random.below(90), width = 1 + random.below(90);
    if (random.one_in(8)) (columns ? rows : width) = 66'000 + random.below(70'000);
    if (rows * width > 1'000'000) (columns ? width : rows) = 3;
    if (columns) width = std::max<std::size_t>(width, 2), rows = std::max<std::size_t>(rows, 2);
    const std::string where = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " +
                              std::to_string(k) + ": " + std::string(name(op)) + " of " +
                              std::to_string(rows) + " x " + std::to_string(width) + " " +
                              std::string(ieee<T>::name);
    try_matrix<T>(random, op, rows, width, columns, where);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(fast_axes, of_binary64_are_the_documented_order) {
  try_type<double>(6300);
}
TEST(fast_axes, of_binary32_are_the_documented_order) {
  try_type<float>(6301);
}
TEST(fast_axes, of_narrow_formats_are_the_documented_order) {
  try_type<f16>(6302);
  try_type<bf16>(6303);
}

// Two reduced axes that do not follow each other in memory.
void try_two_axes(std::size_t outer, std::size_t inner) {
  constexpr std::size_t columns = 70;
  const std::size_t plane = (inner + 1) * columns;
  random_source random = source_of(6320, outer);
  const auto x = make_array<float>(random, outer * plane);
  const array_view cut(x.data(), dtype::f32,
                       {{std::int64_t(outer), std::int64_t(4 * plane)},
                        {std::int64_t(inner), 4 * columns},
                        {columns, 4}});
  std::vector<float> answers(columns);
  const options how{.accuracy = accuracy::fast, .axes = axis(0, 1)};
  ASSERT_TRUE(reduce(executor::cpu{1}, op::sum, cut, answers, how).ok());
  for (std::size_t k = 0; k < columns; ++k) {
    std::vector<float> terms;
    for (std::size_t i = 0; i < outer * inner; ++i)
      terms.push_back(x[i / inner * plane + i % inner * columns + k]);
    EXPECT_EQ(hex(as_bits(answers[k])), hex(as_bits(column_sum(terms, inner))))
        << outer << " times " << inner << ", column " << k;
  }
}

TEST(fast_axes, of_two_reduced_axes_end_their_groups_with_the_inner_one) {
  try_two_axes(3, 20);
}

// Of two, three and ten groups an index of the outer axis: bands begin and end amid it.
TEST(fast_axes, of_two_reduced_axes_have_bands_across_the_outer_one) {
  try_two_axes(64, 20);
  try_two_axes(150, 47);
  try_two_axes(7, 160);
  try_two_axes(3, 1500);
  try_two_axes(700, 2);
}

// Of 64 groups and one more; of as many bands as make every tree of up to nine.
TEST(fast_axes, of_columns_about_the_edges_of_bands_are_the_documented_order) {
  random_source random = source_of(6330, 0);
  for (const std::size_t rows : {1023, 1024, 1025, 1040, 2048, 2049})
    try_matrix<float>(random, op::sum, rows, 5, true, "about an edge");
  for (std::size_t bands = 2; bands <= 9; ++bands)
    try_matrix<double>(random, op::sumsq, bands * 1024 - 3, 3, true, "of several bands");
}

// Few columns, each long enough to be shared by threads: the order is that of one thread.
TEST(fast_axes, of_few_long_columns_have_the_same_bits_on_any_threads) {
  random_source random = source_of(6310, 0);
  try_matrix<float>(random, op::sum, 300'000, 5, true, "few long columns");
  try_matrix<float>(random, op::norm2, 270'000, 3, true, "few long columns");
  try_matrix<double>(random, op::mean, 262'144, 2, true, "few long columns");
  try_matrix<float>(random, op::var, 262'145, 3, true, "few long columns");
}

}  // namespace
}  // namespace onefold::test
