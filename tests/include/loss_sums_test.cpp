// SPDX-License-Identifier: Apache-2.0
// reduce_losses and loss_scales on the CPU have the bits of their steps, with exact sums.
#include <gtest/gtest.h>

#include "support/families.hpp"
#include "support/loss_sums_model.hpp"

namespace onefold::test {
namespace {

const executor on = executor::cpu{1};

template <class W>
class_weight_options by(const loss_case<W>& given) {
  class_weight_options options = {.ignore_index = loss_case<W>::ignored};
  if (!given.weights.empty())
    options.weights = array_view(given.weights.data(), given.weights.size());
  return options;
}

TEST(loss_sums, are_their_steps) {
  std::uint64_t trial = 0;
  for_loss_types([&]<class W, class Out>(detail::tag<W>, detail::tag<Out>) {
    for (const std::int64_t rows : {0, 1, 2, 37, 300}) {
      random_source random = source_of(1301, trial++);
      const auto given =
          loss_case<W>::made(random, rows, random.one_in(3) ? 0 : 11, random.one_in(3));
      for (const auto reduction :
           {loss_reduction::none, loss_reduction::sum, loss_reduction::mean}) {
        double wanted_divisor = 7, divisor = 7;
        const auto wanted = modelled_results<W, Out>(given, reduction, wanted_divisor);
        std::vector<bits_of<Out>> made(wanted.size() + 1, 3);
        const status done =
            reduce_losses(on, given.losses.data(), given.targets.data(), rows, reduction,
                          made.data(), dtype_of<Out>, &divisor, by(given));
        ASSERT_TRUE(done.ok()) << done.message();
        EXPECT_EQ(made.back(), 3);
        made.pop_back();
        ASSERT_EQ(made, wanted) << given.text() << ", reduction " << int(reduction);
        EXPECT_EQ(detail::to_bits(divisor), detail::to_bits(wanted_divisor)) << given.text();
      }
    }
  });
}

TEST(loss_scales, are_their_steps) {
  std::uint64_t trial = 0;
  for_loss_types([&]<class W, class G>(detail::tag<W>, detail::tag<G>) {
    random_source random = source_of(1302, trial++);
    const auto given = loss_case<W>::made(random, 50, random.one_in(3) ? 0 : 11, false);
    std::vector<G> g;
    for (int i = 0; i < 50; ++i) g.push_back(chopped<G>(random.normal()));
    const double divisor = 41.5;
    for (const bool of_rows : {false, true})
      for (const double* const under : {static_cast<const double*>(nullptr), &divisor}) {
        const array_view gradient =
            of_rows ? array_view(g.data(), g.size()) : array_view(g.data(), dtype_of<G>, {});
        std::vector<float> made(50, 3);
        const status done =
            loss_scales(on, gradient, under, given.targets.data(), 50, made.data(), by(given));
        ASSERT_TRUE(done.ok()) << done.message();
        EXPECT_EQ(made, modelled_scales(given, g, of_rows, under)) << given.text();
      }
  });
}

void expect(const status& why, const std::string& says) {
  EXPECT_EQ(why.code(), status_code::mismatch) << why.message();
  EXPECT_NE(why.message().find(says), std::string::npos) << why.message();
}

TEST(loss_sums_refuse, what_they_cannot_use) {
  std::vector<float> losses(3), scales(3);
  std::vector<double> result(4);
  std::int64_t targets[] = {0, 4, -100};
  const std::vector<float> weights(4, 1);
  const auto sum = [&](const array_view& by, void* to, dtype type = dtype::f64,
                       double* divisor = nullptr) {
    return reduce_losses(on, losses.data(), targets, 3, loss_reduction::mean, to, type, divisor,
                         {.weights = by});
  };
  const auto scale = [&](const array_view& g, const class_weight_options& options = {}) {
    return loss_scales(on, g, nullptr, targets, 3, scales.data(), options);
  };
  const array_view four(weights.data(), 4);
  expect(sum(four, result.data()), "row 1 is 4");
  expect(scale(array_view(weights.data(), 3), {.weights = four}), "row 1 is 4");
  targets[1] = 2;
  expect(sum(array_view(targets, 3), result.data()), "weights are i64");
  expect(sum(array_view(weights.data(), 0), result.data()), "each class");
  expect(sum({weights.data(), dtype::f32, {{2, 8}}}, result.data()), "adjacent");
  expect(sum({weights.data(), dtype::f32, {{2, 8}, {2, 4}}}, result.data()), "adjacent");
  expect(sum(four, result.data(), dtype::i64), "result is i64");
  expect(sum(four, reinterpret_cast<char*>(result.data()) + 4), "not aligned");
  expect(sum(four, losses.data() + 1, dtype::f32), "overlaps");
  expect(sum(four, result.data(), dtype::f64, result.data()), "overlaps");
  expect(scale(array_view(weights.data(), 2)), "2 gradients of 3 rows");
  expect(scale(array_view(targets, 3)), "gradients are i64");
  expect(scale(array_view(scales.data(), 3)), "overlaps");
  EXPECT_TRUE(sum(four, result.data(), dtype::f64, result.data() + 1).ok());
  EXPECT_EQ(result[1], 2);
}

}  // namespace
}  // namespace onefold::test
