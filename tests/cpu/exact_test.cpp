// SPDX-License-Identifier: Apache-2.0
// The exact sum of floating arrays against the oracle: a million cases, or ONEFOLD_TEST_CASES.
#include "cpu/exact_suite.hpp"
#include "support/families_hard.hpp"

namespace onefold::test {
namespace {

// Each array is two cases, itself and its negation; a fifth of them are long.
template <class T>
void try_every_family(std::int64_t usual_cases) {
  const float_environment sound;
  const auto& all = families<T>();
  const std::int64_t shares = 10 * std::int64_t(all.size());
  const std::int64_t short_arrays = cases(usual_cases * 4 / shares + 1, 20);
  const std::int64_t long_arrays = cases(usual_cases * 1 / shares + 1, 12);
  std::int64_t done = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    exact_suite<T> suite(all[i]);
    random_source sizes = source_of(1000 + i, 0);
    bool right = true;
    for (std::int64_t k = 0; right && k < short_arrays; ++k)
      right = suite.try_array(2 * i, std::uint64_t(k), short_size<T>(sizes));
    for (std::int64_t k = 0; right && k < long_arrays; ++k)
      right = suite.try_array(2 * i + 1, std::uint64_t(k), long_size<T>(sizes));
    if (right) suite.report_paths();
    done += suite.cases();
  }
  std::printf("  %s: %lld cases on %zu SIMD targets, %lld of them three tiles or longer\n",
              ieee<T>::name.data(), (long long)done, cpu::tables().size(),
              (long long)(2 * long_arrays * std::int64_t(all.size())));
}

TEST(exact_sum, of_binary64_equals_the_oracle_in_every_family) {
  try_every_family<double>(400'000);
}
TEST(exact_sum, of_binary32_equals_the_oracle_in_every_family) {
  try_every_family<float>(300'000);
}
TEST(exact_sum, of_bfloat16_equals_the_oracle_in_every_family) {
  try_every_family<bf16>(150'000);
}
TEST(exact_sum, of_binary16_equals_the_oracle_in_every_family) {
  try_every_family<f16>(150'000);
}

// A family on its own, at lengths of its own, in the order that it was made in.
template <class T>
void try_family(const family<T>& chosen, std::uint64_t arrays, std::size_t n) {
  const float_environment sound;
  exact_suite<T> suite(chosen);
  for (std::uint64_t k = 0; k < arrays; ++k) suite.try_array(500, 16 * k, n + 5 * k);
  suite.report_paths();
}

// More tiles than the counters of one window hold; in a whole run even of a deeper cascade, which
// the task leaves after 4, 8, 16 … tiles to try the first again.
template <class T>
void try_drains() {
  const bool whole_run = cases(1'000'000) >= 1'000'000;
  const auto arrays = std::uint64_t(whole_run ? 3 : 1);
  const auto tiles = (whole_run ? 4 : 1) * cpu::window_tiles + 40;
  const auto n = std::size_t(tiles * tile_items<T>(0) + 5);
  for (auto drained : families<T>()) {
    const bool chosen =
        drained.name == "uniform" || drained.name == "half units" || drained.name == "subnormal";
    if (!chosen || !whole_run) continue;
    drained.intended = {&detail::path_counts::drains};
    try_family(drained, arrays, n);
  }
  try_family<T>({"full binades", fill_full_binades<T>, {&detail::path_counts::drains}}, arrays, n);
}

TEST(exact_sum, empties_the_counters_of_a_window_before_they_overflow) {
  try_drains<double>();
  try_drains<float>();
  try_drains<bf16>();
  try_drains<f16>();
}

// So many elements of one sign and exponent that their bucket is emptied on the way.
template <class T>
void try_full_buckets() {
  const std::size_t capacity = std::is_same_v<T, double> ? 2048 : 65535;
  const std::size_t n = capacity * 3 * 64 / 63 + 1000;
  try_family<T>({"full buckets", fill_full_buckets<T>, {&detail::path_counts::slow_tiles}, false},
                6, n);
}

TEST(exact_sum, empties_the_bucket_of_an_exponent_before_it_overflows) {
  try_full_buckets<double>();
  try_full_buckets<float>();
  try_full_buckets<bf16>();
  try_full_buckets<f16>();
}

}  // namespace
}  // namespace onefold::test
