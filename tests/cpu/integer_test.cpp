// SPDX-License-Identifier: Apache-2.0
// Sums of the nine integer types against 128-bit arithmetic: value, state, overflow, every output.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "onefold/onefold.hpp"
#include "support/each_target.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

__extension__ typedef __int128 int128;

mpz_class as_mpz(int128 value) {
  mpz_class high(long(value >> 64));
  return (high << 64) + mpz_class(static_cast<unsigned long>(value));
}

constexpr dtype integer_types[] = {dtype::boolean, dtype::i8,  dtype::i16, dtype::i32, dtype::i64,
                                   dtype::u8,      dtype::u16, dtype::u32, dtype::u64};

enum class kind { any, largest, smallest, near_zero, cancelling };
constexpr kind kinds[] = {kind::any, kind::largest, kind::smallest, kind::near_zero,
                          kind::cancelling};

template <class T>
T make_element(random_source& random, kind which, std::size_t i) {
  using limits = std::numeric_limits<T>;
  if (which == kind::largest) return limits::max();
  if (which == kind::smallest) return limits::min();
  if (which == kind::near_zero) return T(random.below(3));
  if (which == kind::cancelling) return i % 2 ? limits::max() : T(limits::min() + T(1));
  return T(random());
}

/// An array of a type, as bytes, and its sum.
struct integers {
  dtype type;
  std::vector<std::byte> bytes;
  std::int64_t n;
  int128 sum = 0;

  array_view view() const {
    const auto item = std::int64_t(size_bytes(type));
    return {bytes.data(), type, {{n, item}}};
  }
};

integers make_array(random_source& random, dtype type, kind which, std::size_t n) {
  integers made{type, std::vector<std::byte>(n * size_bytes(type)), std::int64_t(n)};
  with_type(type, [&]<class T>(detail::tag<T>) {
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        // Any byte but zero is true: files hold such bytes.
        const auto byte = std::uint8_t(which == kind::near_zero ? random.below(2) : random());
        made.bytes[i] = std::byte(byte);
        made.sum += byte != 0;
      } else if constexpr (std::is_integral_v<T>) {
        const T x = make_element<T>(random, which, i);
        std::memcpy(made.bytes.data() + i * sizeof x, &x, sizeof x);
        made.sum += x;
      }
    }
  });
  return made;
}

// Every array of these tests, with what to say where it fails.
template <class F>
void for_each_array(F&& f) {
  std::uint64_t index = 0;
  for (const dtype type : integer_types)
    for (const std::size_t n : {0u, 1u, 2u, 3u, 63u, 1000u, 65536u, 65537u, 300'000u})
      for (const kind which : kinds) {
        random_source random = source_of(700, index++);
        const auto x = make_array(random, type, which, n);
        f(x, "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", array " +
                 std::to_string(index - 1) + " of " + std::to_string(n) + " " +
                 std::string(name(type)));
      }
}

std::vector<std::int64_t> words_of(const state& sum) {
  std::vector<std::int64_t> words;
  std::get<exact_sum<std::int64_t>>(detail::state_access::known(sum)).for_each_word([&](auto word) {
    words.push_back(word);
  });
  return words;
}

TEST(integer_sum, equals_that_of_128_bits_on_every_target_and_thread_count) {
  for_each_array([](const integers& x, const std::string& context) {
    const auto expected = integer_words(as_mpz(x.sum), x.n);
    on_each_target([&](const std::string& target) {
      for (int threads : thread_counts) {
        const auto got = try_partial(executor::cpu{threads}, op::sum, x.view());
        ASSERT_TRUE(got.ok());
        EXPECT_EQ(words_of(*got), expected) << context << ", " << target << ", " << threads;
      }
    });
  });
}

template <class Out>
void expect_output(const integers& x, const std::string& context) {
  Out value = Out(77);
  const auto done = reduce({}, op::sum, {x.view()}, value);
  if constexpr (std::is_same_v<Out, bool>) {
    EXPECT_EQ(done.code(), status_code::overflow) << context;
  } else if (x.sum < std::numeric_limits<Out>::min() || x.sum > std::numeric_limits<Out>::max()) {
    EXPECT_EQ(done.code(), status_code::overflow) << context;
    EXPECT_EQ(value, Out(77)) << context << ": the output was written in spite of the overflow";
  } else {
    EXPECT_TRUE(done.ok()) << context << ": " << done.message();
    EXPECT_EQ(int128(value) == x.sum, true) << context << " to " << name(dtype_of<Out>);
  }
}

template <class Out>
void expect_rounded(const integers& x, const std::string& context) {
  const auto got = try_reduce<Out>({}, op::sum, x.view());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(hex(as_bits(*got)), hex(rounded<Out>(as_mpz(x.sum), 0)))
      << context << " to " << ieee<Out>::name;
}

TEST(integer_sum, comes_in_every_output_type_or_overflows) {
  for_each_array([](const integers& x, const std::string& context) {
    for (const dtype type : all_dtypes)
      with_type(type, [&]<class Out>(detail::tag<Out>) {
        if constexpr (std::is_integral_v<Out>)
          expect_output<Out>(x, context);
        else
          expect_rounded<Out>(x, context);
      });
  });
}

// Sums that lie just inside and just outside of each type.
template <class Out>
void try_edges_of() {
  using limits = std::numeric_limits<Out>;
  const auto sum_of = [](std::initializer_list<std::int64_t> list) {
    return try_reduce<Out>({}, op::sum, std::vector<std::int64_t>(list));
  };
  const auto least = std::int64_t(limits::min()), half = std::int64_t(limits::max() / 2);
  EXPECT_EQ(sum_of({least, 0}).value(), limits::min());
  EXPECT_EQ(sum_of({least, -1}).why().code(), status_code::overflow);
  EXPECT_EQ(sum_of({half, half, 1}).value(), limits::max());
  EXPECT_EQ(sum_of({half, half, 1, 1}).why().code(), status_code::overflow);
}

TEST(integer_sum, overflows_exactly_at_the_ends_of_the_output_type) {
  try_edges_of<std::int8_t>(), try_edges_of<std::int16_t>(), try_edges_of<std::int32_t>();
  try_edges_of<std::int64_t>(), try_edges_of<std::uint8_t>(), try_edges_of<std::uint16_t>();
  try_edges_of<std::uint32_t>(), try_edges_of<std::uint64_t>();
}

TEST(integer_sum, wraps_modulo_2_to_64_where_it_is_fast) {
  for_each_array([](const integers& x, const std::string& context) {
    const options fast = {.accuracy = accuracy::fast};
    on_each_target([&](const std::string& target) {
      std::uint64_t value = 1;
      EXPECT_TRUE(reduce(executor::cpu{2}, op::sum, {x.view()}, value, fast));
      EXPECT_EQ(value, std::uint64_t(x.sum)) << context << ", " << target;
    });
    const int128 wrapped =
        is_unsigned(x.type) ? int128(std::uint64_t(x.sum)) : int128(std::int64_t(x.sum));
    const auto as_float = try_reduce<float>({}, op::sum, x.view(), fast);
    ASSERT_TRUE(as_float.ok());
    EXPECT_EQ(hex(as_bits(*as_float)), hex(rounded<float>(as_mpz(wrapped), 0))) << context;
    std::int16_t narrow = 1;
    EXPECT_TRUE(reduce({}, op::sum, {x.view()}, narrow, fast));
    EXPECT_EQ(narrow, std::int16_t(x.sum)) << context;
  });
}

TEST(boolean_sum, counts_every_byte_that_is_not_zero) {
  std::vector<unsigned char> bytes(100'000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i);
  const array_view x(bytes.data(), dtype::boolean, {{std::int64_t(bytes.size()), 1}});
  const auto expected = std::int64_t(bytes.size()) - std::count(bytes.begin(), bytes.end(), 0);
  on_each_target([&](const std::string& target) {
    EXPECT_EQ(try_reduce<std::int64_t>({}, op::sum, x).value(), expected) << target;
  });
}

}  // namespace
}  // namespace onefold::test
