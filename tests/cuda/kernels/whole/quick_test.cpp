// SPDX-License-Identifier: Apache-2.0
// Variances, deviations, squares and norms of whole arrays by an interval, under the executor: what
// is written has the bits of the host's answers, and of usual data all is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cuda/kernels/whole/quick_kernels.hpp"
#include "onefold/exact.hpp"
#include "rounding/round_state.hpp"
#include "simt/device.hpp"
#include "state/states.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::cuda::test {
namespace {

using namespace onefold::test;

struct launch_shape {
  unsigned blocks, threads;
  int offset;
};

template <class T>
class quick_trial {
 public:
  quick_trial(const std::vector<T>& x, bool squares, double correction)
      : x_(x), squares_(squares), correction_(correction) {
    exact_dot<T> products;
    exact_moments<T> moments;
    for (const T each : x) products.add(each, each), moments.add(each);
    state_ = squares ? any_state(products) : any_state(moments);
  }

  /// Whether the answers were decided. Those have to be right.
  bool decides(const launch_shape& shape, const std::string& where) {
    simt::device gpu;
    std::vector<T> padded(std::size_t(shape.offset));
    padded.insert(padded.end(), x_.begin(), x_.end());
    const std::vector<std::byte> zeros(quick_workspace());
    quick_arguments arguments = {
        gpu.memory().copy(std::span<const T>(padded), "x") + shape.offset,
        dtype_of<T>,
        std::int64_t(x_.size()),
        squares_,
        const_cast<std::byte*>(gpu.memory().copy(std::span<const std::byte>(zeros), "workspace")),
        gpu.memory().allocate<std::int64_t>(1, "decided"),
        {}};
    auto* const places = gpu.memory().allocate<std::uint64_t>(finish_list::most, "answers");
    arguments.list.correction = std::int64_t(correction_), arguments.list.is_first = true;
    arguments.list.status = gpu.memory().allocate<std::int32_t>(1, "status");
    *arguments.list.status = -1;
    for (const dtype type : {sizeof(T) == 8 ? dtype::f64 : dtype::f16, dtype::f32, dtype::bf16})
      for (const op op : {squares_ ? op::sumsq : op::var, squares_ ? op::norm2 : op::stddev})
        arguments.list.answers[arguments.list.size] = {places + arguments.list.size, op, type},
        ++arguments.list.size;
    launch_quick(
        gpu, {.grid = {shape.blocks}, .block = {shape.threads}, .order = simt::schedule::shuffled},
        arguments);
    for (const simt::finding& f : gpu.report()) ADD_FAILURE() << where << ": " << f.text();
    const auto* const left = static_cast<const std::byte*>(arguments.workspace);
    EXPECT_TRUE(std::equal(zeros.begin(), zeros.end(), left)) << where;
    if (*arguments.decided == 0) return false;
    EXPECT_EQ(*arguments.list.status, 0) << where;
    for (int i = 0; i < arguments.list.size; ++i) compare(arguments.list.answers[i], where);
    return true;
  }

 private:
  void compare(const finish_item& item, const std::string& where) {
    std::uint64_t wanted = 0;
    const rounding_context how = {dtype_of<T>, nan_policy::propagate, correction_};
    EXPECT_TRUE(round_state(item.op, state_, how, &wanted, item.type).ok());
    EXPECT_EQ(std::memcmp(&wanted, item.to, size_bytes(item.type)), 0)
        << where << ": " << name(item.op) << " of " << name(dtype_of<T>) << " to "
        << name(item.type) << ", n = " << x_.size() << ", ONEFOLD_TEST_SEED=" << seed();
  }

  const std::vector<T>& x_;
  bool squares_;
  double correction_;
  any_state state_;
};

template <class T>
class cuda_quick_answers : public testing::Test {};
using float_types = testing::Types<float, f16, bf16, double>;
TYPED_TEST_SUITE(cuda_quick_answers, float_types);

launch_shape some_shape(random_source& random) {
  return {unsigned(random.between(1, 5)), unsigned(32 * random.between(1, 4)),
          int(random.between(0, 9))};
}

TYPED_TEST(cuda_quick_answers, certify_usual_numbers) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(12, 6)); ++k) {
    random_source random = source_of(4100, k);
    std::vector<TypeParam> x(std::size_t(random.between(2, 6000)));
    const double centre = random.one_in(2) ? 0 : 3;
    for (TypeParam& each : x) each = chopped<TypeParam>(centre + random.normal());
    for (const bool squares : {false, true}) {
      quick_trial<TypeParam> trial(x, squares, double(random.between(0, 1)));
      trial.decides(some_shape(random), "case " + std::to_string(k));
    }
  }
}

TYPED_TEST(cuda_quick_answers, are_right_where_they_are_certified) {
  const auto& all = families<TypeParam>();
  for (std::size_t index = 0; index < all.size(); ++index) {
    random_source random = source_of(4101, index);
    std::vector<TypeParam> x(std::size_t(random.between(2, 3000)));
    all[index].fill(random, x.data(), x.size());
    for (const bool squares : {false, true}) {
      quick_trial<TypeParam> trial(x, squares, double(random.between(0, 1)));
      trial.decides(some_shape(random), std::string(all[index].name));
    }
  }
}

// 2^24 + 1, a tie of floats, and the numbers next to it that are sums of squares.
TEST(cuda_quick_answers_at_ties, are_left_to_the_exact_kernel) {
  const std::vector<float> tie = {4096, 1}, above = {4096, 1, 0x1p-60F};
  EXPECT_FALSE(quick_trial<float>(tie, true, 0).decides({1, 32, 0}, "tie"));
  EXPECT_FALSE(quick_trial<float>(above, true, 0).decides({1, 32, 0}, "above"));
}

// The f64 answer of x by two tiles' lanes, if it is decided.
std::optional<double> decided(const std::vector<double>& x, op operation,
                              anchored_mutant mutant = anchored_mutant::none) {
  simt::device gpu;
  const std::vector<std::byte> zeros(quick_workspace());
  auto* const answer = gpu.memory().allocate<double>(1, "answer");
  quick_arguments arguments = {
      gpu.memory().copy(std::span<const double>(x), "x"),
      dtype::f64,
      std::int64_t(x.size()),
      operation == op::sumsq,
      const_cast<std::byte*>(gpu.memory().copy(std::span<const std::byte>(zeros), "workspace")),
      gpu.memory().allocate<std::int64_t>(1, "decided"),
      {}};
  arguments.list.size = 1, arguments.list.is_first = true;
  arguments.list.answers[0] = {answer, operation, dtype::f64};
  arguments.list.status = gpu.memory().allocate<std::int32_t>(1, "status");
  launch_quick(gpu, {.grid = {1}, .block = {32}}, arguments, mutant);
  if (*arguments.decided == 0) return std::nullopt;
  return *answer;
}

double variance_of(const std::vector<double>& x) {  // of the population, as `decided` asks for
  exact_moments<double> sums;
  for (const double each : x) sums.add(each);
  return sums.variance(0);
}

TEST(cuda_quick_answers_of_doubles, certify_usual_numbers) {
  random_source random = source_of(4112, 0);
  for (int k = 0; k < 40; ++k) {
    // Of 2^k elements of few digits variances may be ties.
    std::vector<double> x(std::size_t(2 * random.between(2, 1500) + 1));
    // Between these centres a shift may not be taken, and an interval be too wide.
    const double centres[] = {0, std::ldexp(1.0, int(random.between(-3, 4))),
                              std::ldexp(1.0, int(random.between(16, 40)))};
    const double centre = centres[k % 3];
    for (double& each : x) each = centre + random.normal();
    EXPECT_EQ(decided(x, op::var), variance_of(x)) << "case " << k << ", seed " << seed();
  }
}

// The square of an odd number of 54 bits is a tie, which rounds downward; with anything more it
// rounds upward.
TEST(cuda_quick_answers_of_doubles, need_the_errors_of_their_sums) {
  constexpr double odd = 100000001, below = odd * odd;
  EXPECT_EQ(decided({odd, 0x1p-40}, op::sumsq), std::nullopt);
  EXPECT_EQ(decided({odd, 0x1p-40}, op::sumsq, anchored_mutant::no_errors), below);
  EXPECT_EQ(decided({odd, 1}, op::sumsq), below + 2);
  EXPECT_EQ(decided({3, 4}, op::sumsq), 25);
}

// The elements that are looked at are near each other, the others are not.
TEST(cuda_quick_answers_of_doubles, need_exact_distances) {
  random_source random = source_of(4110, 0);
  bool wrong = false;
  for (int k = 0; k < 200; ++k) {
    std::vector<double> x = {1, 0, 1 + 0x1p-30, 0, 1 + 0x1p-20};
    for (const int i : {1, 3}) x[std::size_t(i)] = 0x1p-12 * random.normal();
    EXPECT_EQ(decided(x, op::var), std::nullopt);
    const auto mutant = decided(x, op::var, anchored_mutant::far_distances);
    wrong = wrong || (mutant && *mutant != variance_of(x));
  }
  EXPECT_TRUE(wrong) << "a mutant that takes distances for exact";
}

// An element of the second tile that is larger than the anchor of the first one.
TEST(cuda_quick_answers_of_doubles, need_larger_anchors) {
  random_source random = source_of(4111, 0);
  bool wrong = false;
  for (int k = 0; k < 100; ++k) {
    std::vector<double> x(512);
    for (double& each : x) each = random.normal();
    x[std::size_t(random.between(256, 511))] *= 0x1p8;
    EXPECT_EQ(decided(x, op::var), variance_of(x));
    const auto mutant = decided(x, op::var, anchored_mutant::large_terms);
    wrong = wrong || (mutant && *mutant != variance_of(x));
  }
  EXPECT_TRUE(wrong) << "a mutant whose anchor stays";
}

// Divisors beyond 2^50 have remainders that are no doubles.
TYPED_TEST(cuda_quick_answers, take_any_correction) {
  random_source random = source_of(4113, 0);
  std::vector<TypeParam> x(301);
  for (TypeParam& each : x) each = chopped<TypeParam>(random.normal());
  for (const double correction : {-3.0, -0x1p31, -0x1p49, -0x1p51, -0x1p62, -0x1p63}) {
    quick_trial<TypeParam> trial(x, false, correction);
    const bool decided = trial.decides({2, 64, 0}, "correction " + std::to_string(correction));
    if (sizeof(TypeParam) == 8 && correction < -0x1p50) EXPECT_FALSE(decided) << correction;
  }
}

TYPED_TEST(cuda_quick_answers, take_specials_and_equal_numbers) {
  using format = detail::float_format<TypeParam>;
  const auto number = [](double x) { return chopped<TypeParam>(x); };
  const auto of_bits = [](auto bits) { return detail::from_bits<TypeParam>(bits); };
  const TypeParam nan = of_bits(format::quiet_nan), infinity = of_bits(format::infinity);
  for (const TypeParam last : {nan, infinity, number(3), number(-0.0)}) {
    std::vector<TypeParam> x(700, number(3));
    x.back() = last;
    for (const bool squares : {false, true})
      quick_trial<TypeParam>(x, squares, 1).decides({2, 64, 1}, "specials");
  }
}

}  // namespace
}  // namespace onefold::cuda::test
