// SPDX-License-Identifier: Apache-2.0
// Every check of the cascade is needed: without it a named family gets wrong words, of doubles, and
// of bfloat16, whose lanes are floats, or whose products go into one double.

#include <span>
#include <string>

#include "cuda/kernels/whole/whole_runs.hpp"
#include "support/factors.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

using reduced = onefold::accumulator;

// One lane's residuals of one sign: half a unit of the first level each, for more than the 256 that
// move the second level out of its binade.
// The same of the floats of bfloat16, whose chains begin at each vector.
void fill_second_level(double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = i < 32 ? 1.5 : 0x1p-42;
}
void fill_second_level(bf16* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = make<bf16>(false, i < 8 ? 0 : -18, 0);
}

// A window for ones, and then elements that lie above its first level.
template <class T>
void fill_grown(T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = chopped<T>(i < 1024 ? 1 : 0x1p14 + double(i));
}

// A window for ones, and then elements whose squares lie below its last level.
template <class T>
void fill_shrunk(T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = chopped<T>(i < 1024 ? 1 : 0x1.02p-75);
}

// Squares of a lane whose sum has 55 bits.
template <class T>
void fill_one_small(T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = chopped<T>(i % 1024 == 0 ? 0x1.FEp-17 : 0x1.FEp0);
}

template <class T>
void fill_family(const char* name, std::uint64_t k, factors<T>& in) {
  random_source random = source_of(91, k);
  if (name == std::string("second level")) return fill_second_level(in.x.data(), in.x.size());
  if (name == std::string("grown")) return fill_grown(in.x.data(), in.x.size());
  if (name == std::string("shrunk")) return fill_shrunk(in.x.data(), in.x.size());
  if (name == std::string("one small")) return fill_one_small(in.x.data(), in.x.size());
  if constexpr (std::is_same_v<T, double>)
    if (name == std::string("underflow")) return fill_underflow(random, in.x, in.y);
  for (const auto& family : families<T>()) {
    if (family.name != name) continue;
    family.fill(random, in.x.data(), in.x.size());
    family.fill(random, in.y.data(), in.y.size());
    return;
  }
  ADD_FAILURE() << "no family is called " << name;
}

template <class T>
int wrong_of(reduced answers, const char* without, const char* family) {
  const whole_kernel kernel = mutant_kernel(answers, dtype_of<T>, without);
  int wrong = 0;
  for (std::uint64_t k = 0; k < 12; ++k) {
    factors<T> in;
    const std::size_t n = std::size_t(kernel.tile_items) * (k % 4 == 0 ? 40 : 6) + 3;
    in.x.resize(n), in.y.resize(n);
    fill_family(family, k, in);
    const whole_run run = run_whole(kernel, in.x, in.y, {1, 32}, true);
    wrong += !run.sound || run.words != state_of(answers, in.x, in.y);
  }
  return wrong;
}

struct row {
  reduced kind;
  const char* check;
  const char* family;
};

constexpr row rows[] = {
    {reduced::total, "binade", "one sign"},
    {reduced::total, "binade", "grown"},
    {reduced::total, "residual", "two clusters"},
    {reduced::total, "residual", "exponents in +-100"},
    {reduced::total, "tile", "second level"},
    {reduced::total, "clamp", "subnormal"},
    {reduced::total, "clamp", "near the least normal"},
    {reduced::total, "rollback", "drift"},
    {reduced::total, "carry", "normal"},
    {reduced::products, "residual", "exponents in +-100"},
    {reduced::products, "rollback", "drift"},
    {reduced::products, "underflow", "underflow"},
    {reduced::products, "error_term", "normal"},
};

constexpr row narrow_rows[] = {
    {reduced::total, "binade", "grown"},         {reduced::total, "residual", "two clusters"},
    {reduced::total, "tile", "second level"},    {reduced::total, "rollback", "two clusters"},
    {reduced::squares, "binade", "grown"},       {reduced::squares, "residual", "shrunk"},
    {reduced::squares, "residual", "one small"},
};

template <class T>
void try_rows(std::span<const row> list) {
  for (const row& r : list) {
    const int wrong = wrong_of<T>(r.kind, r.check, r.family);
    std::printf("  %-4s without %-10s %2d of 12 arrays of \"%s\" come out wrong\n",
                name(dtype_of<T>).data(), r.check, wrong, r.family);
    EXPECT_GT(wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": " << r.check << ", " << r.family;
    EXPECT_EQ(wrong_of<T>(r.kind, "nothing", r.family), 0) << r.family;
  }
}

TEST(cuda_exact_whole_mutation, of_every_check_is_caught_by_the_family_that_is_there_for_it) {
  try_rows<double>(rows);
  try_rows<bf16>(narrow_rows);
}

}  // namespace
}  // namespace onefold::test
