// SPDX-License-Identifier: Apache-2.0
// Fast sums of segments under the executor: the CPU's bits, whatever the lengths and the cut.

#include <cmath>

#include "support/families.hpp"
#include "support/oracle.hpp"
#include "tests/cuda/segments/runs.hpp"
#include "tests/simt/left_out_waits.hpp"

namespace onefold::test {
namespace {

constexpr std::int64_t chunk = 65536;  // of docs/numerics/fast.md

template <class T>
class FastSegments : public testing::Test {};
using all_types = testing::Types<double, float, bf16, f16>;
TYPED_TEST_SUITE(FastSegments, all_types);

// Magnitudes that differ, so that another order is other bits; what is of no segment is a NaN.
template <class T>
std::vector<std::byte> fill(random_source& random, const segments_case& c) {
  std::vector<T> x(std::size_t(c.items), as_float<T>(bits_of<T>(~bits_of<T>(0))));
  for (std::int64_t i = c.offsets.front(); i < c.offsets.back(); ++i)
    x[std::size_t(i)] = T(std::ldexp(random.normal(), random.between(-9, 5)));
  return bytes_of(x);
}

template <class T>
segments_case fast_case(random_source& random, lengths of, op what) {
  const dtype narrow[] = {dtype::f32, dtype::f16, dtype::bf16};
  const dtype output = std::is_same_v<T, double> ? dtype::f64
                       : random.one_in(2)        ? dtype_of<T>
                                                 : narrow[random.below(3)];
  segments_case c = random_case(random, of, what, dtype_of<T>, output);
  c.request.accuracy = accuracy::fast;
  c.warps = 1, c.early = 0, c.late = 0;
  return c;
}

template <class T>
bool check(const segments_case& c, random_source& random) {
  return check_segments(fast_segment_kernel(dtype_of<T>), c, fill<T>(random, c));
}

constexpr op all_sums[] = {op::sum, op::mean, op::norm1, op::sumsq, op::norm2};

TYPED_TEST(FastSegments, OfEveryKindOfLengthsAndSum) {
  constexpr lengths kinds[] = {lengths::ones,          lengths::empties,   lengths::short_ones,
                               lengths::mixed,         lengths::one_giant, lengths::few_elements,
                               lengths::giants_between};
  for (const lengths of : kinds)
    for (const op what : all_sums) {
      random_source random = source_of(70 + std::uint64_t(of), std::uint64_t(what));
      if (!check<TypeParam>(fast_case<TypeParam>(random, of, what), random)) return;
    }
}

// Where lanes, groups and warps take over from each other.
TYPED_TEST(FastSegments, OfEveryLengthUpToSevenHundred) {
  for (const bool rising : {true, false}) {
    random_source random = source_of(80, rising);
    segments_case c = fast_case<TypeParam>(random, lengths::ones, op::sum);
    c.offsets = {std::int64_t(random.between(0, 9))};
    for (int k = 0; k <= 700; k += k < 300 ? 1 : 7)
      c.offsets.push_back(c.offsets.back() + (rising ? k : random.between(0, k)));
    c.items = c.offsets.back();
    if (!check<TypeParam>(c, random)) return;
  }
}

TYPED_TEST(FastSegments, OfRowsWithoutOffsets) {
  for (const std::int64_t n : {1, 2, 7, 16, 17, 32, 100, 256, 257, 512}) {
    random_source random = source_of(85, std::uint64_t(n));
    segments_case c = fast_case<TypeParam>(random, lengths::ones, op::mean);
    const std::int64_t rows = random.between(1, int(3000 / n + 40));
    c.offsets.clear();
    for (std::int64_t k = 0; k <= rows; ++k) c.offsets.push_back(k * n);
    c.items = c.offsets.back(), c.length = n;
    if (!check<TypeParam>(c, random)) return;
  }
}

// Segments of several chunks side by side, whole last ones and such of one element, and short ones
// between: slots of chunks that lie close. Work ranges are shorter and longer than a chunk.
TYPED_TEST(FastSegments, OfSeveralChunks) {
  for (const std::int64_t work_range : {3000, 40000, 400000}) {
    random_source random = source_of(90, std::uint64_t(work_range));
    segments_case c = fast_case<TypeParam>(random, lengths::ones, op::sum);
    c.offsets = {std::int64_t(random.between(0, 3))};
    for (const std::int64_t n : {chunk, chunk + 1, chunk + 2, std::int64_t(1), 2 * chunk,
                                 2 * chunk + 7, std::int64_t(0), chunk - 1, 3 * chunk + 100})
      c.offsets.push_back(c.offsets.back() + n);
    c.items = c.offsets.back(), c.work_range = work_range;
    if (!check<TypeParam>(c, random)) return;
  }
}

// As many chunks as a lane joins in a pass, one more, and more than in two.
TEST(FastSegmentTrees, OfHundredsOfChunks) {
  for (const std::int64_t chunks : {16, 17, 258}) {
    random_source random = source_of(95, std::uint64_t(chunks));
    segments_case c = fast_case<f16>(random, lengths::ones, op::sum);
    c.request.output = dtype::f32;
    c.offsets = {5, 7, 7 + (chunks - 1) * chunk + random.between(1, int(chunk)), 0};
    c.offsets[3] = c.offsets[2] + 3;
    c.items = c.offsets.back(), c.work_range = 100000;
    if (!check<f16>(c, random)) return;
  }
}

TEST(FastSegmentNans, AreTheCanonicalOneAndStayInTheirSegment) {
  random_source random = source_of(97, 0);
  segments_case c = fast_case<float>(random, lengths::short_ones, op::sum);
  auto x = fill<float>(random, c);
  for (std::int64_t i = c.offsets.front(); i < c.offsets.back(); i += 9) {
    const std::uint32_t bits = 0xFFC12345;
    std::memcpy(x.data() + std::size_t(i) * sizeof bits, &bits, sizeof bits);
  }
  check_segments(fast_segment_kernel(dtype::f32), c, x);
}

TEST(FastSegmentOffsets, OneWrongAmongManyIsFoundWithoutAReadOutside) {
  for (int i = 0; i < 120; ++i) {
    random_source random = source_of(98, std::uint64_t(i));
    const lengths of = all_lengths[random.below(std::size(all_lengths))];
    segments_case c = fast_case<float>(random, of, op::sum);
    c.offsets = random_offsets(random, of, random.between(3, 500), 5);
    c.items = c.offsets.back(), c.work_range = random.between(20, 400);
    const auto x = fill<float>(random, c);
    const std::size_t k = random.below(c.offsets.size());
    const std::int64_t before = k == 0 ? 0 : c.offsets[k - 1];
    const std::int64_t after = k + 1 == c.offsets.size() ? c.items : c.offsets[k + 1];
    // By one, by less than a chunk, or out of sight.
    const std::int64_t fars[] = {0, random.between(0, 60000), std::int64_t(random() >> 2)};
    const std::int64_t far = fars[random.below(3)];
    c.offsets[k] = random.one_in(2) ? before - 1 - far : after + 1 + far;
    EXPECT_EQ(run_segments(fast_segment_kernel(dtype::f32), c, x).findings, cuda::offsets_are_wrong)
        << "offset " << k << " is " << c.offsets[k] << " between " << before << " and " << after
        << ", seed " << seed();
  }
}

using simt::wait_kind;

TEST(FastSegmentWindows, NeedEveryWait) {
  segments_case c;
  c.request = {op::sum, accuracy::fast, nan_policy::propagate, dtype::f32, dtype::f32};
  c.offsets = {3};
  for (int k = 0; k < 300; ++k)
    c.offsets.push_back(c.offsets.back() + (k % 50 == 9 ? 900 : k % 40));
  c.items = c.offsets.back() + 5, c.work_range = 2000, c.warps = 1;
  random_source random = source_of(99, 0);
  const auto x = fill<float>(random, c);
  EXPECT_EQ(simt::test::expect_every_wait_counts(
                "src/cuda/segments/fast/window.cuh",
                [&] { check_segments(fast_segment_kernel(dtype::f32), c, x); }),
            (std::set{wait_kind::commit, wait_kind::copy_wait, wait_kind::warp_barrier}));
}

}  // namespace
}  // namespace onefold::test
