// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of columns and of short rows, against a state that takes each answer's
// elements one by one.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"
#include "rounding/answer.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

constexpr op strip_ops[] = {op::min,     op::max,     op::argmin, op::argmax,
                            op::any,     op::all,     op::count,  op::count_nonzero,
                            op::norminf, op::bit_and, op::bit_or, op::bit_xor};

struct strips_case {
  onefold::op op;
  dtype type;
  std::int64_t rows, columns;  // of memory
  int along;                   // the axis that is reduced
  nan_policy nan;
  bool turned;  // the answers are written in reverse
  int threads;

  std::int64_t answers() const { return along == 0 ? columns : rows; }
  std::int64_t items() const { return along == 0 ? rows : columns; }
};

std::string text_of(const strips_case& c) {
  return std::string(name(c.op)) + " " + std::string(name(c.type)) + " " + std::to_string(c.rows) +
         " x " + std::to_string(c.columns) + " along " + std::to_string(c.along) + ", nan policy " +
         std::to_string(int(c.nan)) + ", seed " + std::to_string(seed());
}

// A few distinct values, so that extrema repeat: zeros of both signs, infinities and NaNs of both
// signs, the ends of integers; or any bits.
template <class T>
std::unique_ptr<T[]> elements_of(std::int64_t n, random_source& random) {
  std::vector<std::uint64_t> values;
  const bool any = random.one_in(3), nans = random.one_in(2);
  if constexpr (!std::is_integral_v<T>) {
    using format = detail::float_format<T>;
    const auto infinity = std::uint64_t(format::infinity), sign = std::uint64_t(format::sign_bit);
    values = {0, sign, 1, sign | 1, infinity - 1, infinity >> 1, sign | infinity >> 1};
    if (random.one_in(2)) values.insert(values.end(), {infinity, sign | infinity});
    if (nans) values.insert(values.end(), {infinity + 1, sign | infinity | 1, sign | (sign - 1)});
  } else {
    const std::uint64_t top = std::uint64_t(1) << (8 * sizeof(T) - 1);
    values = {0, 1, top, top - 1, top + 1, ~std::uint64_t(0)};
  }
  auto elements = std::make_unique<T[]>(std::size_t(n));  // a vector of bool has no memory to view
  for (std::int64_t i = 0; i < n; ++i) {
    T& x = elements[std::size_t(i)];
    const std::uint64_t bits = any ? random() : values[random.below(values.size())];
    std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
    if constexpr (std::is_same_v<T, bool>) std::memset(static_cast<void*>(&x), int(bits & 3), 1);
    if constexpr (!std::is_integral_v<T>)
      if (!nans && detail::is_nan(x)) x = T{};
  }
  return elements;
}

template <class State, class T>
status_code expected(const strips_case& c, const T* x, std::int64_t k, std::int64_t first_index,
                     std::byte* output, dtype type) {
  State state;
  for (std::int64_t i = 0; i < c.items(); ++i) {
    const T* const at = x + (c.along == 0 ? i * c.columns + k : k * c.columns + i);
    T element;
    if constexpr (std::is_same_v<T, bool>) {  // any byte but 0 is true
      unsigned char byte;
      std::memcpy(&byte, at, 1);
      element = byte != 0;
    } else {
      element = *at;
    }
    if constexpr (requires { state.add(element, i); })
      state.add(element, first_index + i);
    else if constexpr (requires { state.add(element); })
      state.add(element);
  }
  return write_selection<T>(c.op, state, c.nan, output, type);
}

template <class T>
status_code expected_answer(const strips_case& c, const T* x, std::int64_t k,
                            std::int64_t first_index, std::byte* output, dtype type) {
  switch (accumulator_of(c.op)) {
  case accumulator::extrema:
    return expected<detail::extrema>(c, x, k, first_index, output, type);
  case accumulator::counts:
    return expected<detail::nonzero_counts>(c, x, k, first_index, output, type);
  default:
    return expected<detail::bit_fold>(c, x, k, first_index, output, type);
  }
}

template <class T>
void check_elements(const strips_case& c, random_source& random) {
  const auto owned = elements_of<T>(c.rows * c.columns, random);
  const T* const x = owned.get();
  const dtype type = default_output(c.op, c.type);
  const auto item = std::int64_t(sizeof(T)), size = std::int64_t(size_bytes(type));
  std::vector<std::byte> answers(std::size_t(c.answers() * size)), wanted(answers.size());
  options how;
  how.axes = axis(c.along), how.nan_policy = c.nan, how.first_index = random.between(-9, 9);
  const output_view output(c.turned ? answers.data() + (c.answers() - 1) * size : answers.data(),
                           type, {{c.answers(), c.turned ? -size : size}});
  const auto done =
      reduce(executor::cpu{c.threads}, c.op,
             {array_view(x, c.type, {{c.rows, c.columns * item}, {c.columns, item}})}, output, how);
  for (std::int64_t k = 0; k < c.answers(); ++k) {
    const std::int64_t place = c.turned ? c.answers() - 1 - k : k;
    const auto code = expected_answer(c, x, k, how.first_index, wanted.data() + place * size, type);
    if (code == status_code::ok) continue;
    ASSERT_FALSE(done.ok()) << text_of(c);
    return;
  }
  ASSERT_TRUE(done.ok()) << text_of(c) << ": " << done.message();
  ASSERT_EQ(answers, wanted) << text_of(c);
}

strips_case any_case(random_source& random) {
  strips_case made{};
  made.op = strip_ops[random.below(std::size(strip_ops))];
  do made.type = all_dtypes[random.below(std::size(all_dtypes))];
  while (accumulator_of(made.op) == accumulator::bits && is_floating(made.type));
  made.along = random.between(0, 1);
  made.rows = random.between(1, random.one_in(3) ? 400 : 20);
  made.columns = random.between(1, random.one_in(3) ? 400 : 70);
  if (random.one_in(20)) made.columns = random.between(2000, 5000), made.rows = 3;
  if (random.one_in(20)) made.rows = random.between(2000, 20000), made.columns = 33;
  made.nan = nan_policy(random.below(3));
  made.turned = random.one_in(4);
  made.threads = random.between(1, 3);
  return made;
}

TEST(strips, answer_as_a_state_of_their_elements) {
  on_each_target([](const std::string& target) {
    for (std::int64_t i = 0; i < cases(600); ++i) {
      random_source random = source_of(0x73747269, std::uint64_t(i));
      const strips_case c = any_case(random);
      SCOPED_TRACE(target + ", case " + std::to_string(i));
      with_type(c.type, [&]<class T>(detail::tag<T>) { check_elements<T>(c, random); });
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

// Each pass of the loops: 8 rows, 120 of bytes, and more than a call.
TEST(strips, find_the_first_of_equal_elements_in_any_row) {
  constexpr std::int64_t columns = 40, rows = 700;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int8_t> x(std::size_t(rows * columns), 5);
    for (std::int64_t r = row; r < rows; r += 3)
      for (std::int64_t c = 0; c < columns; ++c) x[std::size_t(r * columns + c)] = 7;
    std::vector<std::int64_t> at(columns);
    options how;
    how.axes = axis(0);
    const array_view view(x.data(), dtype::i8, {{rows, columns}, {columns, 1}});
    ASSERT_TRUE(reduce(executor::cpu{1}, op::argmax, view, at, how).ok());
    ASSERT_EQ(at, std::vector<std::int64_t>(columns, row));
  }
}

}  // namespace
}  // namespace onefold::test
