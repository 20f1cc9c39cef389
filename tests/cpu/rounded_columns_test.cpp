// SPDX-License-Identifier: Apache-2.0
// Variances and products of columns and of short rows have the bits of a state; which of them the
// kernels round themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "onefold/detail/exact_moments.hpp"
#include "onefold/onefold.hpp"
#include "runtime/float_environment.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

enum class family { normal, small_integers, far_apart, any_bits, specials, equal, near_one };
constexpr int families = 7;

template <class T>
T from_double(double x) {
  if constexpr (std::is_integral_v<T>)
    return T(std::int64_t(x));
  else
    return detail::rounded<T>({x, 0, 0});
}

template <class T>
T element_of(family family, random_source& random) {
  const auto uniform = [&] { return double(random() >> 11) * 0x1p-53; };
  T any{};
  switch (family) {
  case family::normal:
    return from_double<T>((uniform() + uniform() + uniform() - 1.5) * 50);
  case family::small_integers:
    return from_double<T>(double(random.between(std::is_unsigned_v<T> ? 0 : -9, 9)));
  case family::far_apart:
    return from_double<T>(std::ldexp(uniform() + 1, int(random.between(0, 60))));
  case family::near_one:
    return from_double<T>(1 + std::ldexp(uniform() - 0.5, -int(random.between(5, 50))));
  case family::equal:
    return from_double<T>(random.one_in(30) ? 3 : 2);
  case family::specials:
    if constexpr (!std::is_integral_v<T>) {
      using format = detail::float_format<T>;
      const std::uint64_t values[] = {
          0, 1, format::infinity, format::infinity - 1, format::hidden_bit, format::infinity >> 1};
      const auto sign = random.one_in(2) ? format::sign_bit : 0;
      if (random.one_in(3))
        return detail::from_bits<T>(
            typename format::bits(values[random.below(std::size(values))] | sign));
    }
    return from_double<T>(double(random.between(0, 3)));
  case family::any_bits:
    break;
  }
  const std::uint64_t bits = std::is_same_v<T, bool> ? random() & 1 : random();
  std::memcpy(static_cast<void*>(&any), &bits, sizeof any);
  return any;
}

struct rounded_case {
  onefold::op op;
  dtype type;
  family elements;
  std::int64_t rows, columns;  // of memory
  int along;                   // the axis that is reduced
  int correction, threads;
  nan_policy nan;

  std::int64_t answers() const { return along == 0 ? columns : rows; }
  std::int64_t items() const { return along == 0 ? rows : columns; }
};

std::string text_of(const rounded_case& c) {
  return std::string(name(c.op)) + " " + std::string(name(c.type)) + ", family " +
         std::to_string(int(c.elements)) + ", " + std::to_string(c.rows) + " x " +
         std::to_string(c.columns) + " along " + std::to_string(c.along) + ", correction " +
         std::to_string(c.correction) + ", nan policy " + std::to_string(int(c.nan)) + ", seed " +
         std::to_string(seed());
}

// By a state of moments; products by the engine, over one answer's elements.
template <class T>
bool expected(const rounded_case& c, const T* x, const options& how, std::byte* output) {
  const dtype type = default_output(c.op, c.type);
  if (c.op == op::prod) {
    options of_one = how;
    of_one.axes = all_axes;
    return reduce(executor::cpu{1}, op::prod,
                  {array_view(x, c.type, {{c.items(), std::int64_t(sizeof(T))}})},
                  output_view(output, type, {}), of_one)
        .ok();
  }
  return with_type(type, [&]<class Out>(detail::tag<Out>) {
    if constexpr (!std::is_integral_v<Out>) {
      const float_environment sound;
      using wide = std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>;
      using number = std::conditional_t<std::is_integral_v<T>, wide, T>;
      exact_moments<number> state;
      for (std::int64_t i = 0; i < c.items(); ++i) state.add(number(x[i]));
      const Out answer = c.op == op::var ? state.template variance<Out>(c.correction)
                                         : state.template deviation<Out>(c.correction);
      std::memcpy(output, &answer, sizeof answer);
      return true;
    }
    return false;
  });
}

template <class T>
void check_elements(const rounded_case& c, random_source& random) {
  auto x = std::make_unique<T[]>(std::size_t(c.rows * c.columns));
  auto one = std::make_unique<T[]>(std::size_t(c.items()));
  for (std::int64_t i = 0; i < c.rows * c.columns; ++i)
    x[std::size_t(i)] = element_of<T>(c.elements, random);
  const dtype type = default_output(c.op, c.type);
  const auto item = std::int64_t(sizeof(T)), size = std::int64_t(size_bytes(type));
  std::vector<std::byte> answers(std::size_t(c.answers() * size)), wanted(answers.size());
  options how;
  how.axes = axis(c.along), how.nan_policy = c.nan, how.correction = c.correction;
  const auto done =
      reduce(executor::cpu{c.threads}, c.op,
             {array_view(x.get(), c.type, {{c.rows, c.columns * item}, {c.columns, item}})},
             output_view(answers.data(), type, {{c.answers(), size}}), how);
  for (std::int64_t k = 0; k < c.answers(); ++k) {
    for (std::int64_t i = 0; i < c.items(); ++i)
      one[std::size_t(i)] = x[std::size_t(c.along == 0 ? i * c.columns + k : k * c.columns + i)];
    if (expected(c, one.get(), how, wanted.data() + k * size)) continue;
    ASSERT_FALSE(done.ok()) << text_of(c);
    return;
  }
  ASSERT_TRUE(done.ok()) << text_of(c) << ": " << done.message();
  ASSERT_EQ(answers, wanted) << text_of(c);
}

rounded_case any_case(random_source& random) {
  constexpr op ops[] = {op::var, op::stddev, op::prod};
  rounded_case made{};
  made.op = ops[random.below(std::size(ops))];
  made.type = all_dtypes[random.below(std::size(all_dtypes))];
  made.elements = family(random.below(families));
  made.along = random.between(0, 1);
  made.rows = random.between(1, random.one_in(3) ? 200 : 9);
  made.columns = random.between(1, random.one_in(3) ? 300 : 20);
  if (random.one_in(20)) made.rows = random.between(1900, 2100), made.columns = 9;
  made.correction = int(random.between(-1, 2));
  made.threads = random.between(1, 3);
  // An answer without elements that count is an error; states by elements do not know policies.
  if (made.op == op::prod) made.nan = nan_policy(random.below(3));
  return made;
}

TEST(rounded_columns, have_the_bits_of_a_state) {
  on_each_target([](const std::string& target) {
    for (std::int64_t i = 0; i < cases(500); ++i) {
      random_source random = source_of(0x726f756e, std::uint64_t(i));
      const rounded_case c = any_case(random);
      SCOPED_TRACE(target + ", case " + std::to_string(i));
      with_type(c.type, [&]<class T>(detail::tag<T>) { check_elements<T>(c, random); });
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

// --- what is certain ----------------------------------------------------------------------------

constexpr std::int64_t width = 192;

// How many of the columns a kernel leaves to states.
template <class T>
std::int64_t marked(op op, const std::vector<T>& x, std::int64_t divisor) {
  const auto kernel = cpu::active_table().columns->find(op, dtype_of<T>);
  alignas(64) std::byte state[cpu::strip_state_bytes];
  std::vector<double> out(width);
  std::vector<unsigned char> marks(width);
  cpu::column_strip strip = {};
  strip.x = reinterpret_cast<const std::byte*>(x.data());
  strip.columns = width, strip.stride = std::int64_t(width * sizeof(T));
  strip.rows = std::int64_t(x.size()) / width, strip.last = true;
  strip.divisor = double(divisor), strip.state = state;
  strip.out = out.data(), strip.marks = marks.data();
  const float_environment sound;
  const std::int64_t found = kernel.run(strip);
  EXPECT_EQ(found, std::count(marks.begin(), marks.end(), 1));
  return found;
}

template <class T>
std::vector<T> rows_of(family family, std::int64_t rows, random_source& random) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < rows * width; ++i) x.push_back(element_of<T>(family, random));
  return x;
}

// Ties of small integers are exact, and the only distance of two doubles is halved.
TEST(rounded_columns, of_ordinary_elements_are_certain) {
  on_each_target([](const std::string& target) {
    random_source random = source_of(0x63657274, 0);
    const auto check = [&](op op, const auto& x, std::int64_t divisor) {
      EXPECT_EQ(marked(op, x, divisor), 0) << target << " " << name(op) << ", seed " << seed();
    };
    for (const std::int64_t rows : {2, 3, 8, 50})
      for (const op op : {op::var, op::stddev, op::prod}) {
        check(op, rows_of<double>(family::normal, rows, random), rows);
        check(op, rows_of<std::int32_t>(family::normal, std::min<std::int64_t>(rows, 8), random),
              rows);
        check(op, rows_of<float>(family::equal, rows, random), rows);
        check(op, rows_of<float>(family::small_integers, std::min<std::int64_t>(rows, 8), random),
              rows);
      }
  });
}

// Squares of 25 digits end halfway between two floats.
TEST(rounded_columns, find_ties_of_floats) {
  on_each_target([](const std::string& target) {
    random_source random = source_of(0x74696573, 0);
    std::vector<float> x;
    for (std::int64_t i = 0; i < width; ++i) x.push_back(float(random.between(-99, 99)));
    for (std::int64_t i = 0; i < width; ++i)
      x.push_back(x[std::size_t(i)] + float(4097 + 2 * random.between(0, 700)));
    EXPECT_EQ(marked(op::var, x, 2), 0) << target << ", seed " << seed();
    std::vector<float> factors;
    for (std::int64_t i = 0; i < 2 * width; ++i)
      factors.push_back(float(4097 + 2 * random.between(0, 700)));
    EXPECT_EQ(marked(op::prod, factors, 0), 0) << target << ", seed " << seed();
  });
}

// The variance of 0, d, t, 0 is 3 d^2 / 16 - d t / 8 and more: a tie of floats, for an odd d whose
// 3 d^2 has 25 digits, but for something that no double next to it shows.
TEST(rounded_columns, next_to_a_tie_of_floats_are_to_its_side) {
  on_each_target([](const std::string& target) {
    random_source random = source_of(0x73696465, 0);
    std::vector<float> x(4 * width, 0), answers(width);
    for (std::size_t c = 0; c < std::size_t(width); ++c) {
      x[width + c] = float(2365 + 2 * random.below(489));
      x[2 * width + c] = random.one_in(2) ? 0x1p-60f : -0x1p-60f;
    }
    options how;
    how.axes = axis(0);
    const array_view view(x.data(), dtype::f32, {{4, width * 4}, {width, 4}});
    ASSERT_TRUE(reduce(executor::cpu{1}, op::var, view, answers, how).ok());
    for (std::size_t c = 0; c < std::size_t(width); ++c) {
      exact_moments<float> state;
      for (std::size_t r = 0; r < 4; ++r) state.add(x[r * width + c]);
      ASSERT_EQ(answers[c], state.variance()) << target << ", d = " << x[width + c];
    }
  });
}

// d^2 = 2^52 + 1 modulo 2^53 for an odd d of 53 digits whose square has 106: it is closer to a tie
// of doubles than the bounds are.
TEST(rounded_columns, of_products_next_to_a_tie_are_left_to_states) {
  constexpr std::uint64_t one = 1, hidden = one << 52;
  std::uint64_t d = 1;  // of one more correct digit of the square at a time
  for (int digits = 4; digits <= 53; ++digits)
    if (((d * d - hidden - 1) & ((one << digits) - 1)) != 0) d |= one << (digits - 2);
  d &= hidden - 1;
  d = hidden + std::max(d, hidden - d);
  ASSERT_EQ(d * d << 11, (hidden + 1) << 11);
  const auto top = double(d);
  on_each_target([&](const std::string& target) {
    std::vector<double> distances(2 * width, 0), factors(2 * width, top);
    std::fill_n(distances.begin(), width, top);
    EXPECT_EQ(marked(op::var, distances, 2), width) << target;
    EXPECT_EQ(marked(op::prod, factors, 0), width) << target;
  });
}

}  // namespace
}  // namespace onefold::test
