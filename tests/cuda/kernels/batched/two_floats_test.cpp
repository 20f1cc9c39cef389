// SPDX-License-Identifier: Apache-2.0
// Norms, variances and deviations of two floats, by operations of floats.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/rounding/two_floats.cuh"
#include "onefold/exact.hpp"
#include "support/ieee.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

enum class answer { norm, var, population_var, deviation, population_deviation };
constexpr answer all_answers[] = {answer::norm, answer::var, answer::population_var,
                                  answer::deviation, answer::population_deviation};

std::uint32_t exact(answer result, float x, float y) {
  if (result == answer::norm) {
    exact_dot<float> squares;
    squares.add(x, x), squares.add(y, y);
    return as_bits(squares.root<float>());
  }
  exact_moments<float> moments;
  moments.add(x), moments.add(y);
  const bool population =
      result == answer::population_var || result == answer::population_deviation;
  const std::int64_t correction = population ? 0 : 1;
  return as_bits(result == answer::var || result == answer::population_var
                     ? moments.variance<float>(correction)
                     : moments.deviation<float>(correction));
}

template <class Windows>
bool decides(answer result, float x, float y, std::uint32_t& made) {
  switch (result) {
  case answer::norm:
    return cuda::norm_of_two<Windows>(x, y, made);
  case answer::var:
    return cuda::variance_of_two<false, false, Windows>(x, y, made);
  case answer::population_var:
    return cuda::variance_of_two<false, true, Windows>(x, y, made);
  case answer::deviation:
    return cuda::variance_of_two<true, false, Windows>(x, y, made);
  default:
    return cuda::variance_of_two<true, true, Windows>(x, y, made);
  }
}

struct pair {
  float x, y;
};
struct decisions {
  int right, wrong;
  pair example;  ///< of a wrong one
};

template <class Windows, class Make>
decisions decide(answer answer, random_source& random, const Make& make) {
  decisions all = {};
  for (int i = 0; i < 20000; ++i) {
    const pair each = make(random);
    std::uint32_t made = 0;
    if (!decides<Windows>(answer, each.x, each.y, made)) continue;
    if (made == exact(answer, each.x, each.y))
      ++all.right;
    else
      ++all.wrong, all.example = each;
  }
  return all;
}

// How many are decided, all of them rightly.
template <class Make>
int count_decided(answer answer, random_source& random, const Make& make) {
  const decisions all = decide<cuda::two_float_windows>(answer, random, make);
  EXPECT_EQ(all.wrong, 0) << "answer " << int(answer) << " to " << hex(as_bits(all.example.x))
                          << " and " << hex(as_bits(all.example.y)) << ", seed " << seed();
  return all.right;
}

float any_float(random_source& random) {
  return as_float<float>(std::uint32_t(random()));
}
float signed_float(random_source& random, float x) {
  return random.one_in(2) ? -x : x;
}
// Of all significands, and an exponent in [from, to].
float some_float(random_source& random, int from, int to) {
  const float x = std::ldexp(float((random() & 0x7FFFFF) | 0x800000), -23);
  return signed_float(random, std::ldexp(x, int(random.between(from, to))));
}

pair some_pair(random_source& random, int from, int to) {
  return {some_float(random, from, to), some_float(random, from, to)};
}

TEST(two_floats, of_any_bits_are_right_where_they_are_decided) {
  for (const answer kind : all_answers) {
    random_source random = source_of(50, std::uint64_t(kind));
    count_decided(kind, random, [](random_source& from) {
      const float x = any_float(from);
      return pair{x, from.one_in(4) ? signed_float(from, x) : any_float(from)};
    });
  }
}

TEST(two_floats, of_usual_numbers_are_decided) {
  for (const answer kind : all_answers) {
    random_source random = source_of(51, std::uint64_t(kind));
    const auto usual = [](random_source& from) { return some_pair(from, -12, 3); };
    EXPECT_GT(count_decided(kind, random, usual), 19980) << int(kind);
    // Squares of few digits are often ties.
    const auto short_ones = [](random_source& from) {
      const int most = 1 << from.between(2, 23);
      return pair{float(from.between(-most, most)), float(from.between(-most, most))};
    };
    EXPECT_GT(count_decided(kind, random, short_ones), 19980) << int(kind);
  }
}

// Pairs whose answer is within 2^-44 of the middle between two floats.
pair near_tie(answer result, random_source& random) {
  const auto middle = static_cast<long double>((random() & 0xFFFFFF) | 0x1000001);
  if (result == answer::norm) {
    const float x = float(middle - 1);
    const float y = float(std::sqrt((middle - x) * (middle + x)));
    return {x, std::nextafterf(y, random.one_in(2) ? 0 : 2 * y)};
  }
  const bool root = result == answer::deviation;
  const long double distance = root ? middle * std::sqrt(2.0L) : std::sqrt(2 * middle);
  const float x = float(distance);
  return {x, float(x - distance)};
}

struct no_windows : cuda::two_float_windows {
  static constexpr float of_square = 0, of_root = 0;
};

TEST(two_floats, near_a_tie_need_their_windows) {
  for (const answer kind : {answer::norm, answer::var, answer::population_var, answer::deviation}) {
    random_source random = source_of(52, std::uint64_t(kind)), again = random;
    const auto make = [kind](random_source& from) { return near_tie(kind, from); };
    EXPECT_LT(count_decided(kind, random, make), 10) << int(kind);
    EXPECT_GT(decide<no_windows>(kind, again, make).wrong, 100) << int(kind);
  }
}

struct no_least : cuda::two_float_windows {
  static constexpr float least = 0;
};

TEST(two_floats, need_squares_that_do_not_underflow) {
  for (const answer kind : all_answers) {
    random_source random = source_of(53, std::uint64_t(kind)), again = random;
    const auto small = [](random_source& from) { return some_pair(from, -75, -46); };
    EXPECT_GT(count_decided(kind, random, small), 100) << int(kind);
    if (kind == answer::population_deviation) continue;  // it is half of a distance
    EXPECT_GT(decide<no_least>(kind, again, small).wrong, 100) << int(kind);
  }
}

struct off_by_little : cuda::two_float_windows {
  static constexpr float off = 1 - 0x1p-23F;
};
struct off_by_much : cuda::two_float_windows {
  static constexpr float off = 1 + 0x1p-20F;
};

// Those of a GPU are about as far off.
TEST(two_floats, have_roots_by_any_estimate_that_is_near) {
  for (const answer kind : {answer::norm, answer::deviation}) {
    random_source random = source_of(55, std::uint64_t(kind));
    const auto usual = [](random_source& from) { return some_pair(from, -12, 3); };
    const decisions little = decide<off_by_little>(kind, random, usual);
    EXPECT_EQ(little.wrong, 0);
    EXPECT_GT(little.right, 19900) << int(kind);
    const decisions much = decide<off_by_much>(kind, random, usual);
    EXPECT_EQ(much.wrong + much.right, 0) << int(kind);
    random_source near = source_of(56, std::uint64_t(kind));
    EXPECT_EQ(decide<off_by_little>(kind, near, [kind](auto& from) { return near_tie(kind, from); })
                  .wrong,
              0);
  }
}

TEST(two_floats, of_large_numbers_are_left) {
  for (const answer kind : all_answers) {
    random_source random = source_of(54, std::uint64_t(kind));
    const auto large = [](random_source& from) { return some_pair(from, 58, 127); };
    const int decided = count_decided(kind, random, large);
    EXPECT_GT(decided, 50) << int(kind);
    EXPECT_LT(decided, 10000) << int(kind);
  }
}

}  // namespace
}  // namespace onefold::test
