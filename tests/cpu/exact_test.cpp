// SPDX-License-Identifier: Apache-2.0
// The exact sum of floating arrays against the oracle: a million cases, or ONEFOLD_TEST_CASES.
#include "cpu/exact_suite.hpp"

namespace onefold::test {
namespace {

// Each array is two cases, itself and its negation; a fifth of them are long.
template <class T>
void try_every_family(std::int64_t usual_cases) {
  const cpu::float_environment sound;
  const auto& all = families<T>();
  const std::int64_t shares = 10 * std::int64_t(all.size());
  const std::int64_t short_arrays = cases(usual_cases * 4 / shares, 20);
  const std::int64_t long_arrays = cases(usual_cases * 1 / shares, 12);
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

TEST(ExactSum, OfBinary64EqualsTheOracleInEveryFamily) {
  try_every_family<double>(400'000);
}
TEST(ExactSum, OfBinary32EqualsTheOracleInEveryFamily) {
  try_every_family<float>(300'000);
}
TEST(ExactSum, OfBfloat16EqualsTheOracleInEveryFamily) {
  try_every_family<bf16>(150'000);
}
TEST(ExactSum, OfBinary16EqualsTheOracleInEveryFamily) {
  try_every_family<f16>(150'000);
}

// More tiles than the counters of one window hold.
template <class T>
void try_drains(std::string_view family_name) {
  const cpu::float_environment sound;
  for (const auto& family : families<T>()) {
    if (family.name != family_name) continue;
    auto drained = family;
    drained.intended.push_back(&path_counts::drains);
    exact_suite<T> suite(drained);
    for (std::uint64_t k = 0; k < 3; ++k)
      suite.try_array(500, k, std::size_t((cpu::window_tiles + 8) * tile_items<T>(0) + 5));
    suite.report_paths();
  }
}

TEST(ExactSum, EmptiesTheCountersOfAWindowBeforeTheyOverflow) {
  for (const auto* name : {"uniform", "half units", "one sign", "subnormal"}) {
    try_drains<double>(name);
    try_drains<float>(name);
    try_drains<f16>(name);
  }
}

}  // namespace
}  // namespace onefold::test
