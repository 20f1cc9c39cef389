// SPDX-License-Identifier: Apache-2.0
// Exact blocks of many outputs: whatever is decided is the correctly rounded answer.
#include <gtest/gtest.h>

#include <map>

#include "cpu/batched_suite.hpp"
#include "cpu/kernels/targets.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 64, 131};
constexpr op float_ops[] = {op::sum, op::mean, op::norm1, op::sumsq, op::norm2, op::dot};

struct counts {
  std::int64_t outputs = 0, ambiguous = 0;
};

// Every accumulator of T, every shape, one operator and output type.
template <class T, class Out>
class try_families {
 public:
  explicit try_families(op op)
      : request_{cpu::batched_shape::rows, op, accuracy::exact, dtype_of<T>, dtype_of<Out>} {
    if (!cpu::batched_serves(request_)) return;
    std::uint64_t index = 0;
    for (const auto& family : families<T>()) {
      if (!family.finite && request_.op == op::dot) continue;
      for (std::int64_t n : sizes)
        if (is_taken(index++)) try_size(family, n, index - 1);
    }
  }

  std::map<std::string_view, counts> seen;

 private:
  void try_size(const family<T>& family, std::int64_t n, std::uint64_t index) {
    const std::uint64_t stream = 900 + 16 * sizeof(T) + unsigned(request_.op);
    random_source random = source_of(stream, index);
    where_ = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", " + std::string(family.name) +
             ", stream " + std::to_string(stream) + ", array " + std::to_string(index) + ", n " +
             std::to_string(n) + ", " + std::string(name(request_.op)) + " of " +
             std::string(ieee<T>::name) + " to " + std::string(ieee<Out>::name);
    // Now and then more outputs than a batch, a tile of columns or a tile of prefix sums holds.
    const bool many = n <= 9 && random.one_in(12);
    const std::int64_t rows = 1 + std::int64_t(many ? 1020 + random.below(300) : random.below(37));
    ragged<T> all;
    for (std::int64_t k = 0; k < rows; ++k) all.offsets.push_back(all.offsets.back() + n);
    all.x.resize(std::size_t(rows * n)), all.y.resize(all.x.size());
    for (std::int64_t k = 0; k < rows; ++k) {
      family.fill(random, all.x.data() + k * n, std::size_t(n));
      family.fill(random, all.y.data() + k * n, std::size_t(n));
    }
    const auto expected = answers(all);
    count_ = &seen[family.name];
    for (const auto* table : cpu::tables()) {
      target_ = table->target;
      compare(expected, run(table->batched, rows_of(all.x, all.y, rows, n, 0, request_)), "rows");
      compare(expected, run(table->batched, segments_of(all, request_)), "segments");
      try_gaps(table->batched, all, n, expected, random);
      try_columns(table->batched, all, n, expected, random);
    }
    try_ragged(all, random);
  }

  std::vector<bits_of<Out>> answers(const ragged<T>& from) const {
    std::vector<bits_of<Out>> all;
    for (std::int64_t k = 0; k < from.rows(); ++k) {
      const auto* const x = from.x.data() + from.offsets[k];
      const auto* const y = from.y.data() + from.offsets[k];
      all.push_back(answer<Out>(request_.op, total_of(request_.op, x, y, from.size(k))));
    }
    return all;
  }

  // Rows with other elements between them, which must not count.
  void try_gaps(cpu::batched_kernel kernel, const ragged<T>& all, std::int64_t n,
                const std::vector<bits_of<Out>>& expected, random_source& random) {
    const std::int64_t gap = random.between(1, 9);
    std::vector<T> x, y;
    for (std::int64_t k = 0; k < all.rows(); ++k) {
      x.insert(x.end(), all.x.begin() + k * n, all.x.begin() + (k + 1) * n);
      y.insert(y.end(), all.y.begin() + k * n, all.y.begin() + (k + 1) * n);
      for (std::int64_t i = 0; i < gap && k + 1 < all.rows(); ++i)
        x.push_back(any_of_exponent<T>(random, 3)), y.push_back(x.back());
    }
    compare(expected, run(kernel, rows_of(x, y, all.rows(), n, gap, request_)), "rows apart");
  }

  // The same turned round, in one block and cut into several that go on adding.
  void try_columns(cpu::batched_kernel kernel, const ragged<T>& all, std::int64_t n,
                   const std::vector<bits_of<Out>>& expected, random_source& random) {
    const std::int64_t columns = all.rows();
    std::vector<T> x(all.x.size()), y(x.size());
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t i = 0; i < n; ++i)
        x[i * columns + c] = all.x[c * n + i], y[i * columns + c] = all.y[c * n + i];
    auto block = rows_of(x, y, columns, columns, 0, request_);
    block.request.shape = cpu::batched_shape::columns, block.n = block.count = n;
    compare(expected, run(kernel, block), "columns");
    struct alignas(64) line {
      std::byte bytes[64];
    };
    std::vector<line> sums(cpu::batched_accumulator_bytes(columns) / 64 + 1);
    block.accumulators = sums[0].bytes;
    for (std::int64_t i = 0; i < n; i += block.n) {
      block.n = std::min<std::int64_t>(n - i, 1 + std::int64_t(random.below(20)));
      block.first = i == 0, block.last = i + block.n == n;
      block.x = reinterpret_cast<const std::byte*>(x.data() + i * columns);
      block.y = reinterpret_cast<const std::byte*>(y.data() + i * columns);
      const auto result = run(kernel, block);
      if (block.last) compare(expected, result, "columns in blocks");
    }
  }

  // Segments of any size, none included.
  void try_ragged(ragged<T>& all, random_source& random) {
    const std::int64_t end = all.offsets.back();
    all.offsets = {0};
    while (all.offsets.back() < end)
      all.offsets.push_back(
          std::min<std::int64_t>(end, all.offsets.back() + std::int64_t(random.below(20))));
    const auto expected = answers(all);
    for (const auto* table : cpu::tables()) {
      target_ = table->target;
      compare(expected, run(table->batched, segments_of(all, request_)), "ragged segments");
    }
  }

  void compare(const std::vector<bits_of<Out>>& expected, const batched_result& result,
               const char* shape) {
    std::int64_t marked = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      marked += result.ambiguous[k] != 0;
      if (result.ambiguous[k] != 0) continue;
      const auto got = output<Out>(result, std::int64_t(k));
      EXPECT_EQ(hex(got), hex(expected[k]))
          << where_ << ", " << target_ << ", " << shape << ", output " << k;
    }
    EXPECT_EQ(marked, result.reported) << where_ << ", " << target_ << ", " << shape;
    count_->outputs += std::int64_t(expected.size()), count_->ambiguous += marked;
  }

  cpu::batched_request request_;
  std::string where_;
  std::string_view target_;
  counts* count_ = nullptr;
};

// Data in the field: nothing of it is left to another pass.
constexpr std::string_view ordinary[] = {"uniform", "normal", "integers", "zeros of both signs",
                                         "N exp(5 N)"};

template <class T, class Out>
void try_type() {
  for (op op : float_ops) {
    const try_families<T, Out> tried(op);
    for (const auto& [family, count] : tried.seen) {
      const bool plain =
          std::find(std::begin(ordinary), std::end(ordinary), family) != std::end(ordinary);
      // Of a mean below 2^-900 the remainder may be no double.
      const bool tiny = family == "zeros of both signs" && op == op::mean;
      const bool expected_whole = plain && !tiny && (op == op::sum || op == op::mean);
      if (expected_whole) {
        EXPECT_EQ(count.ambiguous, 0) << family << ", " << name(op) << " of " << ieee<T>::name
                                      << ", of " << count.outputs << " outputs";
      }
      if (count.ambiguous > 0)
        std::printf("  %-5s %-4s -> %-4s %-24s %7lld of %7lld ambiguous\n", name(op).data(),
                    ieee<T>::name.data(), ieee<Out>::name.data(), family.data(),
                    (long long)count.ambiguous, (long long)count.outputs);
    }
  }
}

TEST(batched_sums, of_binary32_are_correctly_rounded_where_certified) {
  try_type<float, float>();
}
TEST(batched_sums, of_binary32_in_other_formats_are_correctly_rounded_where_certified) {
  try_type<float, double>();
  try_type<float, f16>();
  try_type<float, bf16>();
}
TEST(batched_sums, of_binary64_are_correctly_rounded_where_certified) {
  try_type<double, double>();
  try_type<double, float>();
}
TEST(batched_sums, of_binary16_are_correctly_rounded_where_certified) {
  try_type<f16, f16>();
  try_type<f16, float>();
}
TEST(batched_sums, of_bfloat16_are_correctly_rounded_where_certified) {
  try_type<bf16, bf16>();
  try_type<bf16, float>();
}

// Ties and sums beyond 2^24 whose ends differ from their neighbours: exact by u == d.
TEST(batched_sums, at_ties_and_large_integers_of_binary32_are_certified) {
  const std::vector<float> x = {0x1p24f, 1, 0, 0x1p24f, 3, 0, 0x1p24f, 1, 2, -0x1p24f, -1, 0};
  const float expected[] = {0x1p24f, 0x1p24f + 4, 0x1p24f + 4, -0x1p24f};
  const cpu::batched_request request = {};
  for (const auto* table : cpu::tables()) {
    const auto result = run(table->batched, rows_of(x, x, 4, 3, 0, request));
    EXPECT_EQ(result.reported, 0) << table->target;
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(as_float<float>(output<float>(result, k)), expected[k]) << table->target;
  }
}

}  // namespace
}  // namespace onefold::test
