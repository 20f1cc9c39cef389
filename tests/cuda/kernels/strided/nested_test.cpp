// SPDX-License-Identifier: Apache-2.0
// The kernels of any plan under the executor: random axes, strides, masks, pieces and grids.
// Carried, the words are those of the states of a walk, and nothing is reported.
#include <gtest/gtest.h>

#include <string>

#include "cuda/kernels/strided/kernels.hpp"
#include "cuda/kernels/strided/model.hpp"
#include "cuda/kernels/strided/trials.hpp"
#include "cuda/plan/kernel_table.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

constexpr accumulator families[] = {
    accumulator::total,    accumulator::magnitudes, accumulator::squares,
    accumulator::products, accumulator::moments,    accumulator::extrema,
    accumulator::counts,   accumulator::bits,       accumulator::exponentials};

// True where the words are right and nothing is reported.
bool check(const trial& trial, bool masked, const simt::launch_config& config,
           const std::string& where) {
  simt::device gpu;
  strided_request request = trial.request;
  request.x = on_device(gpu, trial.x, "x");
  if (request.accumulator == accumulator::products) request.y = on_device(gpu, trial.y, "y");
  if (masked) request.mask = on_device(gpu, trial.mask, "mask");
  const auto size = std::int64_t(words_of(empty_state(request.accumulator, request.input)).size());
  const std::int64_t all = request.outputs * request.pieces;
  auto* words = gpu.memory().allocate<std::int64_t>(std::size_t(all * size), "words");
  request.state_words = size;
  launch_strided(gpu, config, request, words);
  bool fine = gpu.report().empty();
  for (const auto& finding : gpu.report()) ADD_FAILURE() << where << ": " << finding.text();
  for (std::int64_t k = 0; k < all && fine; ++k) {
    const auto got = carried(request.accumulator, request.input, words + k * size);
    fine = got == words_of_piece(request, k);
    EXPECT_TRUE(fine) << where << ": the words of piece " << k;
  }
  return fine;
}

void try_family(accumulator kind, std::uint64_t stream, std::uint64_t count,
                std::int64_t most_items) {
  for (std::uint64_t k = 0; k < count; ++k) {
    random_source random = source_of(stream + std::uint64_t(kind), k);
    const dtype input = all_dtypes[(k + random.below(3)) % std::size(all_dtypes)];
    if (!has_kernel(kernel_family::strided, kind, accuracy::exact, input)) continue;
    const trial made = make_trial(random, kind, input, most_items);
    const bool masked = random.one_in(3);
    const simt::launch_config config = {.grid = {unsigned(random.between(1, 3))},
                                        .block = {strided_threads},
                                        .order = simt::schedule(random.below(3))};
    const std::string where = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", trial " +
                              std::to_string(k) + (masked ? ", masked" : "") + ", " + made.text;
    if (!check(made, masked, config, where)) return;
  }
}

class nested : public testing::TestWithParam<accumulator> {};
INSTANTIATE_TEST_SUITE_P(families, nested, testing::ValuesIn(families));

TEST_P(nested, of_random_plans) {
  try_family(GetParam(), 3000, std::uint64_t(cases(80, 40)), 300);
}
TEST_P(nested, of_many_elements) {
  try_family(GetParam(), 3100, std::uint64_t(cases(20, 13)), 6'000);
}

}  // namespace
}  // namespace onefold::cuda::test
