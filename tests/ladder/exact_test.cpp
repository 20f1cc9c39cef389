// SPDX-License-Identifier: Apache-2.0
// reduce/exact where rounding happens: the bits of GMP's sum for every accumulator of inputs, from
// every launch, clean under every schedule; and how far off the trees are beside it.

#include "ladder/reduce/errors.hpp"
#include "ladder/rung/rung.hpp"
#include "ladder/trial/try_rung.hpp"
#include "onefold/detail/exact_sum.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace onefold::ladder::test {
namespace {

using onefold::test::as_bits;
using onefold::test::families;
using onefold::test::oracle;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

template <class T>
trial_options launch(std::size_t n, unsigned block, unsigned max_grid) {
  trial_options options{.n = n, .block = block, .max_grid = max_grid};
  options.type = sizeof(T) == 4 ? element::float32 : element::float64;
  return options;
}

template <class T>
T exactly(const std::vector<T>& values, const trial_options& options) {
  return sum_by<T>(*find_rung("reduce/exact"), options, values);
}

template <class T>
class the_exact_rung : public testing::Test {
 public:
  static void expect_exact(const std::vector<T>& values, const trial_options& options,
                           const std::string& where) {
    const T got = exactly(values, options);
    oracle<T> truth;
    truth.add(values.data(), std::int64_t(values.size()));
    EXPECT_EQ(as_bits(got), truth.value())
        << "ONEFOLD_TEST_SEED=" << seed() << ": " << where << ", n " << values.size() << ", block "
        << options.block << ", max grid " << options.max_grid << ", " << to_string(options.order);
  }
};

using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(the_exact_rung, floats);

TYPED_TEST(the_exact_rung, gives_the_bits_of_the_true_sum_for_every_family) {
  const auto& all = families<TypeParam>();
  for (std::size_t index = 0; index < all.size(); ++index) {
    random_source random = source_of(1, index);
    for (const std::size_t n : {std::size_t(300), 6000 + random.below(600)}) {
      std::vector<TypeParam> values(n);
      all[index].fill(random, values.data(), n);
      const trial_options options = launch<TypeParam>(n, 32u << random.below(3), 2);
      this->expect_exact(values, options, std::string(all[index].name));
    }
  }
}

TYPED_TEST(the_exact_rung, gives_the_same_bits_from_every_block_grid_and_schedule) {
  random_source random = source_of(2, 0);
  std::vector<TypeParam> values(5000);
  for (TypeParam& x : values) x = TypeParam(std::ldexp(random.normal(), random.between(-30, 30)));
  for (const unsigned block : {32u, 128u, 256u}) {
    for (const unsigned grid : {1u, 2u, 5u}) {
      for (const simt::schedule order : simt::all_schedules) {
        trial_options options = launch<TypeParam>(values.size(), block, grid);
        options.order = order;
        this->expect_exact(values, options, "one sum");
      }
    }
  }
}

TYPED_TEST(the_exact_rung, knows_signed_zeros_infinities_and_nan) {
  using limits = std::numeric_limits<TypeParam>;
  constexpr TypeParam infinity = limits::infinity(), nan = limits::quiet_NaN();
  const std::vector<TypeParam> zeros(3000, -TypeParam(0));
  const trial_options options = launch<TypeParam>(zeros.size(), 64, 2);
  this->expect_exact({}, launch<TypeParam>(0, 64, 2), "nothing");
  this->expect_exact(zeros, options, "negative zeros");
  for (const TypeParam other : {TypeParam(0), infinity, -infinity, nan, limits::max(),
                                limits::denorm_min(), -limits::denorm_min()}) {
    for (const std::size_t at : {0, 1500, 2999}) {
      auto values = zeros;
      values[at] = other;
      this->expect_exact(values, options, "zeros and one other");
      values[700] = -infinity;
      this->expect_exact(values, options, "zeros, one other and -Inf");
    }
  }
}

// Each element once, and of each warp, which loads ahead, the last tile twice; those of doubles
// move windows as well.
TYPED_TEST(the_exact_rung, reads_only_last_tiles_again_and_waits_twice_a_block) {
  constexpr std::uint64_t words = onefold::detail::wide_sum<TypeParam>::words;
  const rung& r = *find_rung("reduce/exact");
  for (const std::size_t n : {0, 1, 511, 512, 513, 5000, 65536}) {
    const trial t = try_rung(r, launch<TypeParam>(n, 128, 1024));
    EXPECT_EQ(t.verdict(), "right") << n;
    EXPECT_EQ(t.reads.once + t.reads.repeatedly, n);
    if (sizeof(TypeParam) == 4) EXPECT_LE(t.reads.repeatedly, t.grid * t.options.block * 16);
    EXPECT_EQ(t.launches, 1u);
    // Four warps: the fold of their digits, one more for the blocks' (two where a ticket tells
    // which of them is the last: long lists of many blocks), and one before rounding.
    const std::uint64_t each = words <= 32 || t.grid * words <= 4096 ? 2 : 3;
    const std::uint64_t barriers = t.grid == 1 ? 2 : each * t.grid + 1;
    EXPECT_EQ(t.counts.barriers, 4 * barriers) << n;
    EXPECT_GE(t.counts.global_load.sectors, (n * sizeof(TypeParam) + 31) / 32) << n;
  }
}

TEST(sum_errors, are_none_for_the_exact_rung_and_grow_with_the_condition_for_trees) {
  const sum_error_table table = usual_sum_errors();
  ASSERT_EQ(table.rows.size(), 6u);
  for (const sum_error_row& row : table.rows) {
    const int precision = row.type == element::float32 ? 24 : 53;
    EXPECT_EQ(row.ulps.back(), 0) << to_string(row.type) << " " << row.condition;
    // Error at most (steps of the longest chain) u sum |x|, here of fewer than 4096 additions.
    const double bound = 4096 * row.condition;
    EXPECT_LE(row.loop, bound);
    for (const double ulps : row.ulps) EXPECT_LE(ulps, bound);
    if (row.condition > std::ldexp(1, precision)) {
      EXPECT_GT(row.ulps[0], 1e3) << "a tree has no digit right of so ill a sum";
    }
  }
}

}  // namespace
}  // namespace onefold::ladder::test
