// SPDX-License-Identifier: Apache-2.0
// Sums of rows by key under the executor: the bits of exact sums, for lists of any length and
// order, any width and address, and lanes that run in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "simt/device.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/random.hpp"
#include "support/scatter_model.hpp"
#include "tests/cuda/kernels/keys/kernels.hpp"

namespace onefold::test {
namespace {

// Element `skew` of an array in the executor's memory, at a multiple of 16 bytes, is the first one.
template <class T>
struct scatter_case {
  std::int64_t rows, n, answers, stride, skew = 0;
  std::vector<T> x{}, initial{};
  std::vector<std::int64_t> keys{}, offsets{};  ///< offsets: none where there are keys
  bool narrow_keys = false, is_mean = false, adds_initial = true, counts_initial = true;
  std::int64_t share = 1;
  bool in_table = false;
  simt::schedule order = simt::schedule::forward;

  row_scatter request() const {
    row_scatter made = {};
    made.x = x.data() + skew, made.rows = rows, made.n = n, made.answers = answers;
    made.stride = stride, made.initial_stride = n, made.type = dtype_of<T>;
    made.keys = offsets.empty() ? keys.data() : nullptr, made.wide_keys = true;
    made.offsets = offsets.empty() ? nullptr : offsets.data();
    made.initial = initial.empty() ? nullptr : initial.data() + skew;
    made.is_mean = is_mean, made.adds_initial = adds_initial, made.counts_initial = counts_initial;
    return made;
  }
};

template <class T>
class scatter_run {
 public:
  explicit scatter_run(const scatter_case<T>& given) : given_(given) {}

  std::vector<T> run() {
    row_scatter request = given_.request();
    request.x = copied(given_.x, "x") + given_.skew;
    if (request.initial != nullptr)
      request.initial = copied(given_.initial, "initial") + given_.skew;
    std::vector<T> nothing(std::size_t(given_.answers * given_.n + given_.skew));
    T* const out = memory().copy(std::span<const T>(nothing), "out");
    request.out = out + given_.skew;
    if (request.offsets != nullptr) request.offsets = copied(given_.offsets, "offsets");
    request.wide_keys = !given_.narrow_keys;
    if (request.keys != nullptr && given_.narrow_keys)
      request.keys =
          copied(std::vector<std::int32_t>(given_.keys.begin(), given_.keys.end()), "keys");
    else if (request.keys != nullptr)
      request.keys = copied(given_.keys, "keys");
    cuda::scatter_launch launch = cuda::scatter_launch_of(request);
    if (request.keys != nullptr) list(launch);
    has_table_ = launch.is_tabled();
    launch.partials = zeros<std::int64_t>(launch.partials_bytes() / 8 + 1, "partials");
    launch.long_answers = zeros<std::int64_t>(std::size_t(launch.parts()) + 1, "long answers");
    launch.set_share(given_.share);
    run_scatter(gpu_, launch, given_.order);
    for (const simt::finding& f : gpu_.report())
      ADD_FAILURE() << "seed " << seed() << ": " << f.text();
    return {out + given_.skew, out + given_.skew + given_.answers * given_.n};
  }
  /// Whether the last run added in a table.
  bool has_table() const { return has_table_; }

 private:
  auto& memory() { return gpu_.memory(); }
  template <class U>
  const U* copied(const std::vector<U>& from, const char* name) {
    std::vector<U> some = from;
    if (some.empty()) some.resize(1);
    return memory().copy(std::span<const U>(some), name);
  }
  template <class U>
  U* zeros(std::size_t n, const char* name) {
    const std::vector<U> none(n);
    return memory().copy(std::span<const U>(none), name);
  }
  void list(cuda::scatter_launch& launch) {
    const auto answers = std::size_t(given_.answers), rows = std::size_t(given_.rows) + 1;
    launch.counts = zeros<std::uint32_t>(answers + 1, "counts");
    auto* const offsets = memory().template allocate<std::int64_t>(answers + 1, "offsets of lists");
    launch.offsets = offsets;
    launch.ranks = memory().template allocate<std::uint32_t>(rows, "ranks");
    launch.places = memory().template allocate<std::uint32_t>(rows, "places");
    if (given_.in_table) {
      set_column(launch, zeros<std::byte>(cuda::column_bytes, "extents and table"));
      run_column(gpu_, launch, given_.order);
    }
    run_lists(gpu_, launch, false, given_.order);
    std::exclusive_scan(launch.counts, launch.counts + answers + 1, offsets, std::int64_t(0));
    run_lists(gpu_, launch, true, given_.order);
  }

  const scatter_case<T>& given_;
  simt::executor gpu_;
  bool has_table_ = false;
};

/// Compares answers with their definition; returns whether there was a table.
template <class T>
bool expect_definition(const scatter_case<T>& given) {
  const row_scatter request = given.request();
  scatter_run<T> run(given);
  const auto got = run.run();
  for (std::int64_t k = 0; k < given.answers; ++k)
    for (std::int64_t column = 0; column < given.n; ++column) {
      const T want = scattered<T>(request, k, column);
      EXPECT_EQ(as_bits(got[std::size_t(k * given.n + column)]), as_bits(want))
          << "answer " << k << " column " << column << " of " << given.rows << " rows of "
          << given.n << " " << name(dtype_of<T>) << (given.is_mean ? ", means" : "")
          << ", ONEFOLD_TEST_SEED=" << seed();
      if (testing::Test::HasFailure()) return run.has_table();
    }
  return run.has_table();
}

template <class T>
scatter_case<T> any_case(random_source& random, const family<T>& family, std::int64_t rows,
                         std::int64_t n, std::int64_t answers) {
  scatter_case<T> made = {rows, n, answers, n};
  if (random.one_in(2)) made.stride += std::int64_t(random.below(5)), made.skew = 1;
  made.x.resize(std::size_t(rows * made.stride + made.skew) + 1);
  family.fill(random, made.x.data(), made.x.size());
  // Half of the answers have no rows, and one has many. One key more, so that there is an address.
  for (std::int64_t row = 0; row <= rows; ++row)
    made.keys.push_back(random.one_in(3)
                            ? answers / 2
                            : std::int64_t(random.below(std::uint64_t(answers))) / 2 * 2);
  if (random.one_in(3)) {
    for (std::int64_t k = 0; k <= answers; ++k)
      made.offsets.push_back(std::int64_t(random.below(std::uint64_t(rows + 1))));
    std::sort(made.offsets.begin(), made.offsets.end());
  }
  if (random.one_in(2)) {
    made.initial.resize(std::size_t(answers * n + made.skew));
    family.fill(random, made.initial.data(), made.initial.size());
  }
  made.narrow_keys = random.one_in(2), made.is_mean = random.one_in(2);
  made.adds_initial = !random.one_in(3), made.counts_initial = random.one_in(2);
  made.share = random.between(1, cuda::most_share);
  made.order = random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse;
  return made;
}

template <class T>
class scatter_sums_of : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(scatter_sums_of, element_types);

TYPED_TEST(scatter_sums_of, every_family_and_width) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 3, 16, 40, 300}) {
      random_source random = source_of(1950, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = random.between(0, n > 100 ? 30 : 90);
      expect_definition(any_case(random, family, rows, n, random.between(1, 7)));
    }
}

// Lists on both sides of the lengths from which sums are of doubles, and are cut into parts.
TYPED_TEST(scatter_sums_of, lists_of_every_length) {
  using T = TypeParam;
  const auto all = families<T>();
  std::uint64_t index = 0;
  for (const std::int64_t length : {31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 1700}) {
    random_source random = source_of(1951, index++);
    auto made = any_case(random, all[random.below(all.size())], length + 700, 2, 4);
    made.offsets.clear();
    const std::int64_t before = std::int64_t(random.below(700));
    if (random.one_in(2)) {
      made.offsets = {before, before + length, before + length, length + 700, length + 700};
    } else {
      for (std::int64_t i = 0; i < length + 700; ++i)
        made.keys[std::size_t(i)] = i < before ? 0 : i < before + length ? 1 : 3;
      shuffle(random, made.keys.data(), made.keys.size());
    }
    expect_definition(made);
  }
}

TYPED_TEST(scatter_sums_of, ties_of_few_elements) {
  using T = TypeParam;
  const family<T> near = {"near one",
                          [](random_source& from, T* x, std::size_t n) {
                            for (std::size_t i = 0; i < n; ++i)
                              x[i] = any_of_exponent<T>(from, int(from.below(3)));
                          },
                          {}};
  random_source random = source_of(1952, 0);
  for (int i = 0; i < 20; ++i) expect_definition(any_case(random, near, 24, 50, 9));
}

TYPED_TEST(scatter_sums_of, zeros_and_what_is_not_finite) {
  using T = TypeParam;
  using format = ieee<T>;
  const T minus_zero = as_float<T>(bits_of<T>(format::sign)),
          infinity = as_float<T>(bits_of<T>(format::infinity)),
          nan = as_float<T>(bits_of<T>(format::nan | format::sign)),
          largest = as_float<T>(bits_of<T>(format::infinity - 1)), one = make<T>(false, 0, 0),
          least = as_float<T>(bits_of<T>(1));
  const std::vector<T> values = {minus_zero, T{}, infinity, negated(infinity), nan,
                                 largest,    one, least,    negated(one),      negated(largest)};
  random_source random = source_of(1953, 0);
  for (int i = 0; i < 60; ++i) {
    scatter_case<T> made = {12, 3, 5, 3};
    for (int j = 0; j < 37; ++j)
      made.x.push_back(values[random.below(random.one_in(2) ? 2 : values.size())]);
    for (int j = 0; j < 12; ++j) made.keys.push_back(std::int64_t(random.below(5)));
    if (random.one_in(2))
      for (int j = 0; j < 15; ++j) made.initial.push_back(values[random.below(values.size())]);
    made.is_mean = random.one_in(2), made.adds_initial = !random.one_in(3);
    expect_definition(made);
  }
}

TYPED_TEST(scatter_sums_of, leave_out_rows_whose_key_is_no_answer) {
  using T = TypeParam;
  random_source random = source_of(1954, 0);
  const auto all = families<T>();
  for (const std::int64_t rows : {40, 1400}) {
    auto made = any_case(random, all[0], rows, 2, 3);
    made.offsets.clear();
    for (auto& key : made.keys)
      if (random.one_in(3)) key = random.one_in(2) ? -1 : 3 + std::int64_t(random.below(5));
    made.narrow_keys = rows == 40;
    expect_definition(made);
  }
}

// Elements whose exponents differ little are added in a table, the others by lists.
TYPED_TEST(scatter_sums_of, columns_in_a_table) {
  using T = TypeParam;
  std::uint64_t index = 0;
  int tables = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t answers : {1, 6, 40}) {
      random_source random = source_of(1956, index++);
      SCOPED_TRACE(family.name);
      auto made = any_case(random, family, random.between(2 * answers + 2, 400), 1, answers);
      made.offsets.clear(), made.stride = 1, made.in_table = true;
      made.is_mean &= answers * 4 <= made.rows;
      for (auto& key : made.keys)
        if (random.one_in(9)) key = random.one_in(2) ? -1 - key : answers + key;
      tables += expect_definition(made);
    }
  EXPECT_GT(tables, 3);
}

TYPED_TEST(scatter_sums_of, columns_of_zeros_in_a_table) {
  using T = TypeParam;
  const T one = make<T>(false, 0, 0);
  const std::vector<T> values = {as_float<T>(bits_of<T>(ieee<T>::sign)), T{}, one, negated(one)};
  random_source random = source_of(1957, 0);
  for (int i = 0; i < 60; ++i) {
    auto made = any_case(random, families<T>()[0], 40, 1, 9);
    const std::uint64_t kinds = 1 + random.below(values.size());
    for (T& element : made.x) element = values[random.below(kinds)];
    for (T& element : made.initial) element = values[random.below(values.size())];
    made.offsets.clear(), made.stride = 1, made.in_table = true;
    EXPECT_TRUE(expect_definition(made));
  }
}

// Nothing outside is read or written, whatever the answers are.
TYPED_TEST(scatter_sums_of, stay_within_memory_for_any_offsets) {
  using T = TypeParam;
  random_source random = source_of(1955, 0);
  const auto all = families<T>();
  for (int i = 0; i < 8; ++i) {
    auto made = any_case(random, all[0], 1300, 1, 5);
    made.offsets.clear();
    for (int k = 0; k < 6; ++k)
      made.offsets.push_back(random.between(-2000, 3000) * (random.one_in(9) ? 1LL << 50 : 1));
    EXPECT_EQ(scatter_run<T>(made).run().size(), 5u);
  }
}

}  // namespace
}  // namespace onefold::test
