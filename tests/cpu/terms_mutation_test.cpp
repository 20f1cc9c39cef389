// SPDX-License-Identifier: Apache-2.0
// Every check of products and moments is needed: without it some of the arrays come out wrong.
//
// The loops are compiled once more here, for one SIMD target, with one check at a time switched
// off.
#include <gtest/gtest.h>

#include "cpu/kernels/sum/cascade-inl.hpp"
#include "cpu/tasks/term_ways.hpp"
#include "runtime/float_environment.hpp"
#include "support/dot_oracle.hpp"
#include "support/factors.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

using detail::checks;
using words = std::vector<std::int64_t>;

template <onefold::accumulator Family, class T, checks Checks>
struct way_of {
  using type = cpu::term_way<Family, T, Checks>;
};
template <class T, checks Checks>
struct way_of<onefold::accumulator::moments, T, Checks> {
  using type = cpu::moments_way<T, Checks>;
};

template <onefold::accumulator Family, class T, checks Checks>
words got_words(const factors<T>& given) {
  static const auto kernels = cpu::HWY_NAMESPACE::make_exact_kernels<Family, T, Checks>();
  cpu::tile_task<typename way_of<Family, T, Checks>::type> task(kernels);
  task.take(given.x.data(), given.y.data(), std::int64_t(given.x.size()));
  return words_of(task.result().total());
}

template <onefold::accumulator Family, class T>
words expected_words(const factors<T>& given) {
  const auto& second = Family == onefold::accumulator::products ? given.y : given.x;
  dot_oracle<T> products;
  for (std::size_t i = 0; i < given.x.size(); ++i) products.add(given.x[i], second[i]);
  oracle<T> sum;
  if (Family == onefold::accumulator::moments)
    sum.add(given.x.data(), std::int64_t(given.x.size()));
  words list = Family == onefold::accumulator::moments ? sum.words() : words();
  for (auto word : products.words()) list.push_back(word);
  return list;
}

struct outcomes {
  int arrays = 0, wrong = 0;
};

template <onefold::accumulator Family, class T, checks Checks>
outcomes try_arrays() {
  const float_environment sound;
  outcomes seen;
  for (std::uint64_t k = 0; k < 520; ++k, ++seen.arrays) {
    random_source random = source_of(78, k);
    const std::size_t n = 512 + random.below(1200);
    factors<T> given{std::vector<T>(n), std::vector<T>(n)};
    fill_factors(random, given, k);
    seen.wrong += got_words<Family, T, Checks>(given) != expected_words<Family, T>(given);
  }
  return seen;
}

constexpr checks without(bool checks::*flag) {
  checks left;
  left.*flag = false;
  return left;
}
constexpr auto no_binade = without(&checks::binade), no_residual = without(&checks::residual),
               no_clamp = without(&checks::clamp), no_rollback = without(&checks::rollback),
               no_underflow = without(&checks::underflow),
               no_error_term = without(&checks::error_term),
               no_sum_residual = without(&checks::sum_residual), whole = detail::all_checks;

struct row {
  std::string_view family, type;
  const char* check;
  outcomes (*mutant)();
};

template <onefold::accumulator Family, class T, checks Checks>
constexpr row row_of(const char* check) {
  constexpr std::string_view names[] = {"total", "magnitudes", "squares", "products", "moments"};
  return {names[int(Family)], ieee<T>::name, check, try_arrays<Family, T, Checks>};
}

constexpr auto squares = onefold::accumulator::squares, products = onefold::accumulator::products,
               moments = onefold::accumulator::moments;

constexpr row mutants[] = {
    row_of<squares, double, no_binade>("binade"),
    row_of<products, double, no_binade>("binade"),
    row_of<products, float, no_binade>("binade"),
    row_of<moments, double, no_binade>("binade"),
    row_of<squares, double, no_residual>("residual"),
    row_of<products, double, no_residual>("residual"),
    row_of<products, float, no_residual>("residual"),
    row_of<squares, double, no_underflow>("underflow"),
    row_of<products, double, no_underflow>("underflow"),
    row_of<squares, double, no_error_term>("error_term"),
    row_of<products, double, no_error_term>("error_term"),
    row_of<moments, double, no_error_term>("error_term"),
    row_of<moments, double, no_sum_residual>("sum_residual"),
    row_of<moments, float, no_sum_residual>("sum_residual"),
    row_of<moments, double, no_clamp>("clamp"),
    row_of<products, double, no_rollback>("rollback"),
};
constexpr row intact[] = {
    row_of<squares, double, whole>("none"), row_of<products, double, whole>("none"),
    row_of<products, float, whole>("none"), row_of<moments, double, whole>("none"),
    row_of<moments, float, whole>("none"),
};

TEST(terms_mutation, of_every_check_is_caught) {
  for (const auto& [family, type, check, mutant] : mutants) {
    const outcomes seen = mutant();
    std::printf("  without %-12s %4d of %d arrays: %s of %s come out wrong\n", check, seen.wrong,
                seen.arrays, family.data(), type.data());
    EXPECT_GT(seen.wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": " << family << " of " << type
                             << " did not notice that the check " << check << " was missing";
  }
}

TEST(terms_mutation, of_nothing_leaves_the_same_arrays_right) {
  for (const auto& [family, type, check, mutant] : intact)
    EXPECT_EQ(mutant().wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": " << family << " " << type;
}

}  // namespace
}  // namespace onefold::test
