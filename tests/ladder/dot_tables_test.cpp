// SPDX-License-Identifier: Apache-2.0
// The tables that the dot rungs' pages end with: errors, and the article's times beside ours.

#include "ladder/dot/errors.hpp"
#include "ladder/dot/ill_conditioned.hpp"
#include "ladder/dot/published_times.hpp"
#include "ladder/rung/hardware.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace onefold::ladder::test {
namespace {

constexpr std::size_t tree = 0, published = 1, kahan = 2, two_product = 3, exact = 4;

TEST(dot_error_table, shows_no_error_of_the_exact_dot_and_the_trees_in_kahan_as_published) {
  for (const double condition : {1e4, 1e8, 1e12}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const dot_error_table table = dot_errors(2048, condition, seed);
      ASSERT_EQ(table.rows.size(), 4u);
      EXPECT_TRUE(table.published_kahan_is_the_tree);
      for (const dot_error_row& row : table.rows) {
        EXPECT_EQ(row.ulps[exact], 0);
        EXPECT_EQ(row.ulps[published], row.ulps[tree]);
        // Exact products have no errors to keep: the two do the same operations.
        if (row.bits == 24 || row.bits == 53) continue;
        EXPECT_EQ(row.ulps[kahan], row.ulps[two_product]);
      }
    }
  }
}

TEST(dot_error_table, of_the_page_tells_the_methods_apart) {
  for (const dot_error_row& row : usual_dot_errors().rows) {
    const bool exact_products = row.bits == 12 || row.bits == 26;
    EXPECT_GT(row.ulps[tree], row.ulps[kahan]);
    EXPECT_EQ(row.ulps[kahan] > row.ulps[two_product], !exact_products);
  }
  const std::string text = to_text(usual_dot_errors());
  EXPECT_NE(text.find("gives the bits of the tree: yes, in every row"), std::string::npos);
}

TEST(dot_error_table, refuses_lengths_that_the_published_kernel_reads_past) {
  for (const std::size_t n : {0, 1, 511, 1000}) {
    EXPECT_THROW(dot_errors(n, 1e8, 1), std::invalid_argument) << n;
  }
}

// Three roundings lie between 2 sum |a b| / |a.b| and what is reported, two of them in T.
template <class T>
void expect_that_a_case_is_what_it_says(double condition, int bits, std::uint64_t seed) {
  const auto made = ill_conditioned<T>(500, condition, bits, seed);
  mpq_class dot, magnitudes;
  for (std::size_t i = 0; i < made.a.size(); ++i) {
    const mpq_class product = mpq_class(made.a[i]) * mpq_class(made.b[i]);
    dot += product;
    magnitudes += abs(product);
    if (2 * bits <= std::numeric_limits<T>::digits) {
      EXPECT_EQ(product, mpq_class(made.a[i] * made.b[i])) << "a product is not exact";
    }
  }
  using onefold::test::ieee;
  constexpr int unit = 2 * ieee<T>::lsb;
  const mpz_class scaled = mpq_class(dot << -unit).get_num();
  EXPECT_EQ(onefold::test::as_bits(made.answer), onefold::test::rounded<T>(scaled, unit));
  const mpq_class three_u = mpq_class(3) >> std::numeric_limits<T>::digits;
  EXPECT_LE(abs(mpq_class(made.condition) * abs(dot) - 2 * magnitudes),
            three_u / (1 - three_u) * 2 * magnitudes);
  EXPECT_GE(made.condition, condition);
}

TEST(ill_conditioned_vectors, have_the_answer_and_the_condition_that_they_say) {
  for (const double condition : {1e4, 1e8, 1e12}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      expect_that_a_case_is_what_it_says<float>(condition, 24, seed);
      expect_that_a_case_is_what_it_says<float>(condition, 12, seed);
      expect_that_a_case_is_what_it_says<double>(condition, 53, seed);
      expect_that_a_case_is_what_it_says<double>(condition, 26, seed);
    }
  }
}

const hardware_time* none_recorded(std::string_view, element, std::size_t) {
  return nullptr;
}

const hardware_time* some_recorded(std::string_view rung, element type, std::size_t n) {
  static const hardware_time first{"dot/serial", element::float32, compared_n, 0, 900, 0, 0};
  static const hardware_time last{"dot/last-warp", element::float32, compared_n, 0, 300, 0, 0};
  if (type != element::float32 || n != compared_n) return nullptr;
  return rung == first.rung ? &first : rung == last.rung ? &last : nullptr;
}

TEST(published_times, are_ratios_to_the_first_version_in_the_order_of_the_article) {
  EXPECT_EQ(to_text(published_ratios(some_recorded)),
            "the article's times beside ours: float, 67108864 elements; -: not recorded\n"
            "version             µs printed  over the first  µs " +
                recorded().machine +
                "  over the first\n"
                "dot/serial         1699738.016          1.00 ×    900.0          1.00 ×\n"
                "dot/tree            114682.144         14.82 ×        -               -\n"
                "dot/kahan           120819.072         14.07 ×        -               -\n"
                "dot/conflict-free    71126.240         23.90 ×        -               -\n"
                "dot/unrolled         57975.072         29.32 ×        -               -\n"
                "dot/last-warp        49489.856         34.35 ×    300.0          3.00 ×\n");
}

TEST(published_times, have_no_ratio_of_ours_where_none_is_recorded) {
  const auto ratios = published_ratios(none_recorded);
  ASSERT_EQ(ratios.size(), 6u);
  for (const published_ratio& r : ratios) EXPECT_FALSE(r.ours) << r.rung;
}

}  // namespace
}  // namespace onefold::ladder::test
