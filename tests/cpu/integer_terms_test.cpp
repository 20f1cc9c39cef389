// SPDX-License-Identifier: Apache-2.0
// Magnitudes, squares, products and moments of the nine integer types against GMP.
#include <gtest/gtest.h>

#include <gmpxx.h>

#include <cstring>
#include <limits>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/tasks.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

using words = std::vector<std::int64_t>;
using onefold::accumulator;

constexpr std::size_t sizes[] = {0, 1, 2, 3, 31, 64, 65, 127, 1000, 8191, 8193, 32769, 65536};

enum class kind { any, largest, smallest, near_zero, mixed };
constexpr kind kinds[] = {kind::any, kind::largest, kind::smallest, kind::near_zero, kind::mixed};

template <class T>
T make_element(random_source& random, kind which) {
  using limits = std::numeric_limits<T>;
  if (which == kind::mixed) which = kinds[random.below(4)];
  if (which == kind::largest) return limits::max();
  if (which == kind::smallest) return limits::min();
  if (which == kind::near_zero) return T(random.below(3) - 1);
  return T(random());
}

// Elements as stored: booleans are bytes, of which any but zero is true.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
std::vector<stored<T>> make_array(random_source& random, kind which, std::size_t n) {
  std::vector<stored<T>> x(n);
  for (auto& element : x) element = make_element<stored<T>>(random, which);
  return x;
}

template <class T>
mpz_class value_of(stored<T> x) {
  if constexpr (std::is_same_v<T, bool>) return x != 0;
  if constexpr (std::is_signed_v<T>) return mpz_class(long(x));
  return mpz_class(static_cast<unsigned long>(x));
}

// `count` words of 64 bits in two's complement, and the number of elements.
void append_words(words& to, mpz_class total, int count, std::size_t n) {
  for (int i = 0; i < count; ++i) {
    const mpz_class low = total & mpz_class("18446744073709551615");
    to.push_back(std::int64_t(low.get_ui()));
    mpz_fdiv_q_2exp(total.get_mpz_t(), total.get_mpz_t(), 64);
  }
  to.push_back(std::int64_t(n));
}

template <class T>
words expected_words(accumulator accumulator, const std::vector<stored<T>>& x,
                     const std::vector<stored<T>>& y) {
  mpz_class sum, products;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const mpz_class a = value_of<T>(x[i]), b = value_of<T>(y[i]);
    sum += accumulator == accumulator::magnitudes ? mpz_class(abs(a)) : a;
    products += accumulator == accumulator::products ? mpz_class(a * b) : mpz_class(a * a);
  }
  words list;
  const bool only_sum = accumulator == accumulator::total || accumulator == accumulator::magnitudes;
  if (only_sum || accumulator == accumulator::moments) append_words(list, sum, 2, x.size());
  if (!only_sum) append_words(list, products, 3, x.size());
  return list;
}

any_state empty_state(accumulator accumulator) {
  if (accumulator == accumulator::moments) return exact_moments<std::int64_t>{};
  if (accumulator == accumulator::squares || accumulator == accumulator::products)
    return exact_dot<std::int64_t>{};
  return exact_sum<std::int64_t>{};
}

words words_in(const any_state& state) {
  words list;
  std::visit(
      [&](const auto& alternative) {
        if constexpr (requires { alternative.for_each_word([](std::int64_t) {}); })
          alternative.for_each_word([&](std::int64_t word) { list.push_back(word); });
      },
      state);
  return list;
}

// The arrays in two pieces, on every target.
template <class T>
void try_arrays(accumulator accumulator, const std::vector<stored<T>>& x,
                const std::vector<stored<T>>& y, const std::string& context) {
  const words expected = expected_words<T>(accumulator, x, y);
  const auto n = std::int64_t(x.size()), first = n / 3;
  for (const auto* table : cpu::tables()) {
    cpu::use_table(*table);
    const auto task = cpu::make_exact_task(accumulator, dtype_of<T>);
    any_state got = empty_state(accumulator);
    task->take({x.data(), y.data(), first});
    task->take({x.data() + first, y.data() + first, n - first, first});
    task->drain(got);
    task->drain(got);
    EXPECT_EQ(words_in(got), expected) << context << ", " << table->target;
  }
  cpu::use_table(*cpu::tables().front());
}

template <class T>
void try_type(accumulator accumulator) {
  std::uint64_t index = 0;
  for (const std::size_t n : sizes)
    for (const kind which : kinds) {
      random_source random = source_of(800 + std::uint64_t(accumulator), index);
      if (!is_taken(index++)) continue;
      const auto x = make_array<T>(random, which, n), y = make_array<T>(random, which, n);
      try_arrays<T>(accumulator, x, y,
                    "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", array " +
                        std::to_string(index - 1) + " of " + std::to_string(n) + " " +
                        std::string(name(dtype_of<T>)));
    }
}

class integer_terms : public testing::TestWithParam<int> {};

TEST_P(integer_terms, equal_gmp_for_every_type_on_every_target) {
  const auto accumulator = static_cast<onefold::accumulator>(GetParam());
  try_type<bool>(accumulator);
  try_type<std::int8_t>(accumulator), try_type<std::int16_t>(accumulator),
      try_type<std::int32_t>(accumulator);
  try_type<std::int64_t>(accumulator), try_type<std::uint8_t>(accumulator),
      try_type<std::uint16_t>(accumulator);
  try_type<std::uint32_t>(accumulator), try_type<std::uint64_t>(accumulator);
}

INSTANTIATE_TEST_SUITE_P(families, integer_terms,
                         testing::Range(int(accumulator::total), int(accumulator::moments) + 1));

// As many products of one sign as 32 bits hold, and more: the loops must empty their lanes.
TEST(integer_terms, of_long_pieces_of_the_largest_elements_do_not_overflow) {
  std::uint64_t index = 0;
  const auto attempt = [&]<class T>(accumulator accumulator, T largest) {
    const std::vector<T> x(std::size_t(1) << 20, largest);
    if (is_taken(index++)) try_arrays<T>(accumulator, x, x, std::to_string(largest));
  };
  for (const accumulator accumulator :
       {accumulator::total, accumulator::squares, accumulator::products, accumulator::moments}) {
    attempt(accumulator, std::uint8_t(255));
    attempt(accumulator, std::int8_t(-128));
    attempt(accumulator, std::int16_t(-32768));
    attempt(accumulator, std::uint16_t(65535));
  }
}

// More halves of 16 bits than a 32-bit lane of the widest vector holds, all of them 2^16 - 1.
template <class T>
void try_long_sum(T element) {
  const std::vector<T> x((std::size_t(1) << 22) + 3, element);
  words expected;
  append_words(expected, mpz_class(long(element)) * long(x.size()), 2, x.size());
  for (const auto* table : cpu::tables()) {
    cpu::use_table(*table);
    const auto task = cpu::make_exact_task(accumulator::total, dtype_of<T>);
    any_state got = empty_state(accumulator::total);
    task->take({x.data(), nullptr, std::int64_t(x.size())});
    task->drain(got);
    EXPECT_EQ(words_in(got), expected) << table->target;
  }
  cpu::use_table(*cpu::tables().front());
}

TEST(integer_terms, of_long_pieces_of_16_bits_empty_their_lanes) {
  try_long_sum<std::uint16_t>(65535);
  try_long_sum<std::int16_t>(32767);
}

}  // namespace
}  // namespace onefold::test
