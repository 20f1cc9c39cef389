// SPDX-License-Identifier: Apache-2.0
// Variances, deviations, squares and norms of whole arrays by an interval, under the executor: what
// is written has the bits of the host's answers, and of usual data all is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/full/quick_kernels.hpp"
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
    quick_arguments of = {
        gpu.memory().copy(std::span<const T>(padded), "x") + shape.offset,
        dtype_of<T>,
        std::int64_t(x_.size()),
        squares_,
        const_cast<std::byte*>(gpu.memory().copy(std::span<const std::byte>(zeros), "workspace")),
        gpu.memory().allocate<std::int64_t>(1, "decided"),
        {}};
    auto* const places = gpu.memory().allocate<std::uint64_t>(finish_list::most, "answers");
    of.list.correction = std::int64_t(correction_), of.list.is_first = true;
    of.list.status = gpu.memory().allocate<std::int32_t>(1, "status");
    *of.list.status = -1;
    for (const dtype type : {dtype::f32, dtype::f16, dtype::bf16})
      for (const op what : {squares_ ? op::sumsq : op::var, squares_ ? op::norm2 : op::stddev})
        of.list.answers[of.list.size] = {places + of.list.size, what, type}, ++of.list.size;
    launch_quick(
        gpu, {.grid = {shape.blocks}, .block = {shape.threads}, .order = simt::schedule::shuffled},
        of);
    for (const simt::finding& f : gpu.report()) ADD_FAILURE() << where << ": " << f.text();
    const auto* const left = static_cast<const std::byte*>(of.workspace);
    EXPECT_TRUE(std::equal(zeros.begin(), zeros.end(), left)) << where;
    if (*of.decided == 0) return false;
    EXPECT_EQ(*of.list.status, 0) << where;
    for (int i = 0; i < of.list.size; ++i) compare(of.list.answers[i], where);
    return true;
  }

 private:
  void compare(const finish_item& asked, const std::string& where) {
    std::uint64_t wanted = 0;
    const rounding_context how = {dtype_of<T>, nan_policy::propagate, correction_};
    EXPECT_TRUE(round_state(asked.what, state_, how, &wanted, asked.type).ok());
    EXPECT_EQ(std::memcmp(&wanted, asked.to, size_bytes(asked.type)), 0)
        << where << ": " << name(asked.what) << " of " << name(dtype_of<T>) << " to "
        << name(asked.type) << ", n = " << x_.size() << ", ONEFOLD_TEST_SEED=" << seed();
  }

  const std::vector<T>& x_;
  bool squares_;
  double correction_;
  any_state state_;
};

template <class T>
class Quick : public testing::Test {};
using narrow_types = testing::Types<float, f16, bf16>;
TYPED_TEST_SUITE(Quick, narrow_types);

launch_shape some_shape(random_source& random) {
  return {unsigned(random.between(1, 5)), unsigned(32 * random.between(1, 4)),
          int(random.between(0, 9))};
}

TYPED_TEST(Quick, DecidesUsualNumbers) {
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

TYPED_TEST(Quick, IsRightWhereItDecides) {
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
TEST(QuickTies, AreLeftToTheExactKernel) {
  const std::vector<float> tie = {4096, 1}, above = {4096, 1, 0x1p-60F};
  EXPECT_FALSE(quick_trial<float>(tie, true, 0).decides({1, 32, 0}, "tie"));
  EXPECT_FALSE(quick_trial<float>(above, true, 0).decides({1, 32, 0}, "above"));
}

TYPED_TEST(Quick, TakesSpecialsAndEqualNumbers) {
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
