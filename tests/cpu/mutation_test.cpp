// SPDX-License-Identifier: Apache-2.0
// Every check of the algorithm is needed: without it a named family gets wrong sums.
//
// The loops are compiled once more here, for one SIMD target, with one check at a time switched
// off. A mutant that no family catches means that the suite would not notice if the check broke.
#include <gtest/gtest.h>

#include "cpu/kernels/sum/cascade-inl.hpp"
#include "cpu/tasks/exact_task.hpp"
#include "runtime/float_environment.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/families_hard.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

using detail::checks;

template <class T, checks Checks>
bool equals_the_oracle(const std::vector<T>& x) {
  static const auto kernels =
      cpu::HWY_NAMESPACE::make_exact_kernels<onefold::accumulator::total, T, Checks>();
  oracle<T> expected;
  expected.add(x.data(), std::int64_t(x.size()));
  cpu::exact_task<T, Checks> task(kernels);
  task.take(x.data(), std::int64_t(x.size()));
  std::vector<std::int64_t> words;
  const auto& sum = task.result();
  sum.for_each_word([&](std::int64_t word) { words.push_back(word); });
  return words == expected.words() && as_bits(sum.value()) == expected.value();
}

// A sum may be right in its words and wrong in its rounding; elements one by one show that too.
template <class T, checks Checks>
bool rounds_as_the_oracle(const std::vector<T>& x) {
  oracle<T> expected;
  expected.add(x.data(), std::int64_t(x.size()));
  detail::wide_sum<T, Checks> sum;
  for (T element : x) sum.add(element);
  return as_bits(sum.value()) == expected.value();
}

struct outcomes {
  int arrays = 0, wrong = 0;
};

template <checks Checks>
constexpr bool intact = std::is_same_v<std::integral_constant<checks, Checks>,
                                       std::integral_constant<checks, detail::all_checks>>;

template <class T, checks Checks>
outcomes try_family(std::string_view name) {
  const float_environment sound;
  outcomes seen;
  for (const auto& family : families<T>()) {
    if (family.name != name) continue;
    for (std::uint64_t k = 0; k < 600; ++k, ++seen.arrays) {
      random_source random = source_of(77, k);
      std::vector<T> x(k % 3 == 0 ? 1 + random.below(120) : 512 + random.below(3000));
      family.fill(random, x.data(), x.size());
      const bool right = equals_the_oracle<T, Checks>(x) && rounds_as_the_oracle<T, Checks>(x);
      seen.wrong += !right;
      if (!right && intact<Checks>) ADD_FAILURE() << hex(x.data(), x.size());
    }
  }
  return seen;
}

// The checks, by the names of their flags in detail/round.hpp.
constexpr checks without(bool checks::*flag) {
  checks left;
  left.*flag = false;
  return left;
}
constexpr auto no_binade = without(&checks::binade), no_residual = without(&checks::residual),
               no_tile = without(&checks::tile), no_clamp = without(&checks::clamp),
               no_rollback = without(&checks::rollback), no_carry = without(&checks::carry),
               no_sticky = without(&checks::sticky), no_sign = without(&checks::sign_magnitude);

struct row {
  std::string_view type;
  const char* check;
  const char* family;
  outcomes (*mutant)(std::string_view);
  outcomes (*whole)(std::string_view);
};

template <class T, checks Checks>
constexpr row row_of(const char* check, const char* family) {
  return {ieee<T>::name, check, family, try_family<T, Checks>, try_family<T, detail::all_checks>};
}

// Which family is there for which check.
constexpr row rows[] = {
    row_of<double, no_binade>("binade", "one sign"),
    row_of<float, no_binade>("binade", "one sign"),
    row_of<f16, no_binade>("binade", "infinities and NaN"),
    row_of<double, no_residual>("residual", "edge of the window"),
    row_of<float, no_residual>("residual", "edge of the window"),
    row_of<bf16, no_residual>("residual", "two clusters"),
    row_of<double, no_tile>("tile", "half units"),
    row_of<double, no_clamp>("clamp", "near the least normal"),
    row_of<double, no_clamp>("clamp", "subnormal"),
    row_of<double, no_rollback>("rollback", "exponents in +-100"),
    row_of<float, no_rollback>("rollback", "drift"),
    row_of<double, no_carry>("carry", "normal"),
    row_of<float, no_carry>("carry", "normal"),
    row_of<double, no_sticky>("sticky", "exact ties, +- tiny"),
    row_of<float, no_sticky>("sticky", "exact ties, +- tiny"),
    row_of<bf16, no_sticky>("sticky", "exact ties, +- tiny"),
    row_of<f16, no_sticky>("sticky", "exact ties, +- tiny"),
    row_of<double, no_sign>("sign_magnitude", "cancellation"),
    row_of<float, no_sign>("sign_magnitude", "cancellation"),
};

TEST(exact_sum_mutation, of_every_check_is_caught_by_the_family_that_is_there_for_it) {
  for (const auto& [type, check, family, mutant, whole] : rows) {
    const outcomes without_it = mutant(family);
    std::printf("  without %-15s %4d of %d arrays of %s \"%s\" come out wrong\n", check,
                without_it.wrong, without_it.arrays, type.data(), family);
    EXPECT_GT(without_it.wrong, 0)
        << "ONEFOLD_TEST_SEED=" << seed() << ": \"" << family << "\" did not notice that the check "
        << check << " was missing";
  }
}

TEST(exact_sum_mutation, of_nothing_leaves_the_same_arrays_right) {
  for (const auto& [type, check, family, mutant, whole] : rows) {
    const outcomes with_it = whole(family);
    EXPECT_EQ(with_it.wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": " << family;
    EXPECT_GT(with_it.arrays, 0) << "no family is called " << family;
  }
}

}  // namespace
}  // namespace onefold::test
