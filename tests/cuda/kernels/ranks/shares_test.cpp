// SPDX-License-Identifier: Apache-2.0
// The kernel of element-wise all-reduces, under the executor: its answers are the bits of the CPU's
// exact sums and means of the columns.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "collective/parts.hpp"
#include "cuda/kernels/ranks/kernels.hpp"
#include "onefold/onefold.hpp"
#include "simt/device.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::any_of_exponent;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

template <class T>
T from_double(double x) {
  T made{};
  const status done = reduce(executor::cpu{1}, op::sum, {array_view(&x, dtype::f64, {{1, 8}})},
                             output_view(&made, dtype_of<T>));
  return done ? made : T{};
}

// Zeros, NaN, infinities, the largest and the least; ties of two elements that a third one breaks,
// which no interval of the sum's own precision decides.
template <class T>
T special(random_source& random) {
  using format = onefold::detail::float_format<T>;
  using bits = typename format::bits;
  const bits all[] = {
      0, format::sign_bit, format::infinity, format::quiet_nan, bits(format::infinity - 1), 1};
  return onefold::detail::from_bits<T>(all[random.below(std::size(all))]);
}

/// received[ranks][items], of which row `rank` is this rank's.
template <class T>
std::vector<T> any_rows(random_source& random, int ranks, std::int64_t items) {
  std::vector<T> rows(std::size_t(ranks * items));
  const int spread = random.one_in(2) ? 2 : 10;
  for (T& each : rows)
    each = random.one_in(12) ? special<T>(random)
                             : any_of_exponent<T>(random, random.between(-spread, spread));
  constexpr int precision = onefold::detail::float_format<T>::precision;
  for (std::int64_t k = 0; k < items && ranks > 2; ++k) {
    if (!random.one_in(4)) continue;
    const double sign = random.one_in(2) ? 1 : -1;
    const double tie[] = {sign, sign * std::ldexp(1.0, -precision),
                          (random.one_in(2) ? 1 : -1) * std::ldexp(1.0, -2 * precision)};
    for (int row = 0; row < ranks; ++row)
      rows[std::size_t(row * items + k)] = from_double<T>(row < 3 ? tie[row] : 0);
  }
  return rows;
}

template <class T>
void expect_answers(random_source& random, int ranks, std::int64_t items) {
  constexpr dtype type = dtype_of<T>;
  const auto item = std::int64_t(sizeof(T));
  const auto rows = any_rows<T>(random, ranks, items);
  const bool mean = random.one_in(2);
  const int rank = int(random.below(std::uint64_t(ranks)));
  std::vector<T> wanted(static_cast<std::size_t>(items));
  options down;
  down.axes = axis(0);
  ASSERT_TRUE(reduce(executor::cpu{1}, mean ? op::mean : op::sum,
                     {array_view(rows.data(), type, {{ranks, items * item}, {items, item}})},
                     output_view(wanted.data(), type, {{items, item}}), down)
                  .ok());
  simt::device gpu;
  // Not at a multiple of 16 bytes, now and then.
  const std::size_t before = random.one_in(3) ? 1 : 0;
  std::vector<T> padded(before), received = rows;
  padded.insert(padded.end(), rows.begin() + rank * items, rows.begin() + (rank + 1) * items);
  for (std::int64_t k = 0; k < items; ++k)
    received[std::size_t(rank * items + k)] = from_double<T>(3);  // scratch memory: not read
  T* const own = gpu.memory().copy(std::span<const T>(padded), "own") + before;
  T* const there = gpu.memory().copy(std::span<const T>(received), "received");
  reduce_shares(gpu, {type, mean, own, there, items, ranks, rank}, unsigned(random.between(1, 2)));
  const std::string said = std::string(mean ? "mean" : "sum") + " of " + std::string(name(type)) +
                           ", rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                           ", " + std::to_string(items) +
                           " elements, ONEFOLD_TEST_SEED=" + std::to_string(seed());
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text() << said;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    ASSERT_EQ(onefold::detail::to_bits(own[k]), onefold::detail::to_bits(wanted[k]))
        << "element " << k << ", " << said;
}

template <class T>
void expect_all() {
  random_source random = source_of(44, std::uint64_t(dtype_of<T>));
  for (const int ranks : {1, 2, 3, 5, 8, 9})
    for (const int items : {1, random.between(2, 200), 512})
      expect_answers<T>(random, ranks, items);
}

TEST(cuda_ranks, shares_of_all_ranks_are_summed_by_columns) {
  expect_all<f16>(), expect_all<bf16>(), expect_all<float>(), expect_all<double>();
}

}  // namespace
}  // namespace onefold::cuda::test
