// SPDX-License-Identifier: Apache-2.0
// The kernels of weighted losses and of scales under the executor have the bits of their steps, by
// any number of blocks.
#include <gtest/gtest.h>

#include "cuda/kernels/normalize/kernels.hpp"
#include "simt/device.hpp"
#include "support/families.hpp"
#include "support/loss_sums_model.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::bits_of;
using onefold::test::chopped;
using onefold::test::loss_case;
using onefold::test::random_source;
using onefold::test::source_of;

template <class W>
class_weights weights_of(simt::device& gpu, const loss_case<W>& given) {
  auto& memory = gpu.memory();
  return {memory.copy(std::span<const std::int64_t>(given.targets), "targets"),
          given.rows(),
          loss_case<W>::ignored,
          given.weights.empty() ? nullptr
                                : memory.copy(std::span<const W>(given.weights), "weights"),
          std::int64_t(given.weights.size()),
          dtype_of<W>};
}

template <class W, class Out>
void expect_sums(const loss_case<W>& given, loss_reduction reduction, unsigned blocks,
                 random_source& random) {
  double wanted_divisor = 7;
  const auto wanted = onefold::test::modelled_results<W, Out>(given, reduction, wanted_divisor);
  simt::device gpu;
  auto& memory = gpu.memory();
  const std::vector<double> before(1, 7);
  double* const divisor = memory.copy(std::span<const double>(before), "divisor");
  const std::vector<bits_of<Out>> room(wanted.size() + 1, 3);
  auto* const made = memory.copy(std::span<const bits_of<Out>>(room), "result");
  const std::vector<std::int64_t> zeros(8 + 6 * blocks);
  std::int64_t* const workspace = memory.copy(std::span<const std::int64_t>(zeros), "workspace");
  const loss_sums rows = {weights_of(gpu, given),
                          memory.copy(std::span<const float>(given.losses), "losses"),
                          reduction,
                          made,
                          dtype_of<Out>,
                          divisor};
  launch_loss_sums(gpu, {rows, blocks, blocks > 1 ? workspace : nullptr},
                   random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse);
  const std::string where = given.text() + ", " + std::to_string(blocks) + " blocks, reduction " +
                            std::to_string(int(reduction)) + " to " +
                            std::string(name(dtype_of<Out>));
  for (const auto& finding : gpu.report()) ADD_FAILURE() << finding.text() << where;
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(made[i], wanted[i]) << where;
  EXPECT_EQ(made[wanted.size()], 3) << where;
  EXPECT_EQ(detail::to_bits(*divisor), detail::to_bits(wanted_divisor)) << where;
  for (std::size_t i = 0; i < zeros.size(); ++i) ASSERT_EQ(workspace[i], 0) << where;
}

constexpr loss_reduction reductions[] = {loss_reduction::none, loss_reduction::sum,
                                         loss_reduction::mean};

TEST(cuda_loss_sums, of_all_types_are_their_steps) {
  std::uint64_t trial = 0;
  onefold::test::for_loss_types([&]<class W, class Out>(detail::tag<W>, detail::tag<Out>) {
    for (const std::int64_t rows : {0, 1, 33, 700}) {
      random_source random = source_of(1303, trial++);
      const auto given =
          loss_case<W>::made(random, rows, random.one_in(3) ? 0 : 11, random.one_in(4));
      for (const loss_reduction reduction : reductions)
        if (rows > 0 || reduction != loss_reduction::none)
          expect_sums<W, Out>(given, reduction, 1 + unsigned(random.below(3)), random);
    }
  });
}

// An interval does not decide them.
TEST(cuda_loss_sums, of_ties_are_exact) {
  random_source random = source_of(1304, 0);
  for (const float least : {0.0f, 0x1p-140f, -0x1p-140f}) {
    const loss_case<float> given = {{0x1p60f, 0x1p7f, least}, {0, 0, 0}, {}};
    for (const loss_reduction reduction : reductions)
      expect_sums<float, double>(given, reduction, 1, random);
  }
  const loss_case<double> weights = {{1, 1, 1}, {0, 1, 2}, {1, 0x1p-53, 0x1p-110}};
  for (const loss_reduction reduction : reductions)
    expect_sums<double, double>(weights, reduction, 2, random);
}

TEST(cuda_loss_sums, of_rows_that_no_class_has_read_no_other_weight) {
  simt::device gpu;
  auto& memory = gpu.memory();
  const std::vector<std::int64_t> targets = {-1, 3, std::int64_t(1) << 62};
  const std::vector<float> losses = {NAN, NAN, NAN}, weights = {1, 2, 4};
  const std::vector<double> before(2, 7);
  double* const made = memory.copy(std::span<const double>(before), "result");
  const class_weights by = {
      memory.copy(std::span<const std::int64_t>(targets), "targets"), 3, -7,
      memory.copy(std::span<const float>(weights), "weights"),        3, dtype::f32};
  const auto* const given = memory.copy(std::span<const float>(losses), "losses");
  launch_loss_sums(gpu, {{by, given, loss_reduction::mean, made, dtype::f64, made + 1}, 1, nullptr},
                   simt::schedule::reverse);
  for (const auto& finding : gpu.report()) ADD_FAILURE() << finding.text();
  EXPECT_TRUE(std::isnan(made[0]));
  EXPECT_EQ(made[1], 1 + 4 + 4);
}

TEST(cuda_loss_scales, are_their_steps) {
  std::uint64_t trial = 0;
  onefold::test::for_loss_types([&]<class W, class G>(detail::tag<W>, detail::tag<G>) {
    random_source random = source_of(1306, trial++);
    const std::int64_t rows = random.between(1, 600);
    const auto given = loss_case<W>::made(random, rows, random.one_in(3) ? 0 : 11, false);
    std::vector<G> g;
    for (std::int64_t i = 0; i < rows; ++i) g.push_back(chopped<G>(random.normal()));
    const std::vector<double> divisor(1, 41.5);
    for (const bool of_rows : {false, true}) {
      simt::device gpu;
      auto& memory = gpu.memory();
      const bool divides = random.one_in(2);
      const std::vector<float> room(std::size_t(rows) + 1, 3);
      auto* const made = memory.copy(std::span<const float>(room), "scales");
      const auto* const under = memory.copy(std::span<const double>(divisor), "divisor");
      launch_scales(gpu,
                    {weights_of(gpu, given), memory.copy(std::span<const G>(g), "g"), dtype_of<G>,
                     of_rows, divides ? under : nullptr, made},
                    simt::schedule::shuffled);
      for (const auto& finding : gpu.report()) ADD_FAILURE() << finding.text();
      auto wanted = modelled_scales(given, g, of_rows, divides ? divisor.data() : nullptr);
      wanted.push_back(3);
      EXPECT_EQ(std::vector<float>(made, made + rows + 1), wanted) << given.text();
    }
  });
}

TEST(cuda_loss_sums, have_a_block_for_some_thousand_rows) {
  EXPECT_EQ(loss_sum_blocks(0, 132), 1u);
  EXPECT_EQ(loss_sum_blocks(rows_of_loss_block, 132), 1u);
  EXPECT_EQ(loss_sum_blocks(rows_of_loss_block + 1, 132), 2u);
  EXPECT_EQ(loss_sum_blocks(std::int64_t(1) << 50, 132), 132u);
  EXPECT_EQ(loss_sum_blocks(std::int64_t(1) << 50, 0), 1u);
}

}  // namespace
}  // namespace onefold::cuda::test
