// SPDX-License-Identifier: Apache-2.0
// Segments of floats under the executor: the CPU's answers, whatever the lengths and the cut.

#include "onefold/exact.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"
#include "tests/cuda/kernels/segments/runs.hpp"
#include "tests/simt/left_out_waits.hpp"

namespace onefold::test {
namespace {

// Every segment is filled by itself, so that it cancels by itself; what is of none holds NaNs.
template <class T>
std::vector<std::byte> fill(random_source& random, const segments_case& c, std::size_t family) {
  std::vector<T> x(std::size_t(c.items), as_float<T>(bits_of<T>(~bits_of<T>(0))));
  for (std::size_t k = 0; k < c.count(); ++k)
    families<T>()[family].fill(random, x.data() + c.offsets[k],
                               std::size_t(c.offsets[k + 1] - c.offsets[k]));
  return bytes_of(x);
}

template <class T>
std::size_t family_named(std::string_view name) {
  for (std::size_t i = 0; i < families<T>().size(); ++i)
    if (families<T>()[i].name == name) return i;
  ADD_FAILURE() << "no family is called " << name;
  return 0;
}

template <class T>
class cuda_segments : public testing::Test {};
using all_types = testing::Types<double, float, bf16, f16>;
TYPED_TEST_SUITE(cuda_segments, all_types);

TYPED_TEST(cuda_segments, are_right_for_every_kind_of_lengths) {
  const std::size_t normal = family_named<TypeParam>("normal");
  for (const lengths kind : all_lengths)
    for (int i = 0; i < 6; ++i) {
      random_source random = source_of(1 + std::uint64_t(kind), std::uint64_t(i));
      const op operation = random.one_in(2) ? op::sum : op::mean;
      const auto c =
          random_case(random, kind, operation, dtype_of<TypeParam>, any_output<TypeParam>(random));
      const auto kernel = segment_float_kernel(onefold::accumulator::total, dtype_of<TypeParam>);
      if (!check_segments(kernel, c, fill<TypeParam>(random, c, normal))) return;
    }
}

TYPED_TEST(cuda_segments, are_right_for_every_family_of_inputs) {
  for (std::size_t family = 0; family < families<TypeParam>().size(); ++family) {
    random_source random = source_of(20, family);
    const lengths given_lengths = random.one_in(2) ? lengths::short_ones : lengths::mixed;
    auto c = random_case(random, given_lengths, random.one_in(3) ? op::mean : op::sum,
                         dtype_of<TypeParam>, any_output<TypeParam>(random));
    const auto kernel = segment_float_kernel(onefold::accumulator::total, dtype_of<TypeParam>);
    if (!check_segments(kernel, c, fill<TypeParam>(random, c, family))) return;
  }
}

// Most tiles are whole and have ends, several in one place among them.
TYPED_TEST(cuda_segments, are_right_in_work_ranges_of_many_tiles) {
  for (const lengths kind :
       {lengths::ones, lengths::empties, lengths::short_ones, lengths::mixed}) {
    random_source random = source_of(25, std::uint64_t(kind));
    auto c = random_case(random, kind, op::sum, dtype_of<TypeParam>, dtype_of<TypeParam>);
    c.offsets = random_offsets(random, kind, kind == lengths::mixed ? 300 : 4000, 0);
    c.items = c.offsets.back();
    c.work_range = random.between(8000, 20000), c.warps = 2, c.misplaced = 0;
    const auto kernel = segment_float_kernel(onefold::accumulator::total, dtype_of<TypeParam>);
    const auto x = fill<TypeParam>(random, c, family_named<TypeParam>("normal"));
    if (!check_segments(kernel, c, x)) return;
  }
}

TYPED_TEST(cuda_segments, are_right_where_long_ones_are_between_short_ones) {
  for (const op op : {op::sum, op::mean}) {
    random_source random = source_of(27, std::uint64_t(op));
    const auto c = giants_case(random, op, dtype_of<TypeParam>, dtype_of<TypeParam>);
    const auto kernel = segment_float_kernel(onefold::accumulator::total, dtype_of<TypeParam>);
    if (!check_segments(kernel, c, fill<TypeParam>(random, c, family_named<TypeParam>("normal"))))
      return;
  }
}

// Blocks of one warp with short work ranges: a chain of hundreds of blocks.
TYPED_TEST(cuda_segments, are_right_where_many_blocks_share_one) {
  for (const char* name : {"normal", "ill-conditioned"}) {
    random_source random = source_of(30, 0);
    segments_case c;
    c.request = {op::sum, accuracy::exact, nan_policy::propagate, dtype_of<TypeParam>,
                 dtype_of<TypeParam>};
    c.offsets = {3, 3, 5, 20007, 20007, 20009};
    c.items = 20011;
    c.work_range = 40, c.warps = 1, c.misplaced = 1;
    const auto kernel = segment_float_kernel(onefold::accumulator::total, dtype_of<TypeParam>);
    const auto x = fill<TypeParam>(random, c, family_named<TypeParam>(name));
    if (!check_segments(kernel, c, x)) return;
  }
}

template <class T>
class cuda_segment_norms : public testing::Test {};
using wide_types = testing::Types<double, float>;
TYPED_TEST_SUITE(cuda_segment_norms, wide_types);

TYPED_TEST(cuda_segment_norms, are_right_for_every_family_of_inputs) {
  for (const op op : {op::norm1, op::sumsq, op::norm2})
    for (std::size_t family = 0; family < families<TypeParam>().size(); ++family) {
      random_source random = source_of(40 + std::uint64_t(op), family);
      auto c = random_case(random, lengths::short_ones, op, dtype_of<TypeParam>,
                           any_output<TypeParam>(random));
      if (c.offsets.size() > 60) c.offsets.resize(60);  // norm2 of f64 is in digits throughout
      const auto kernel = segment_float_kernel(accumulator_of(op), dtype_of<TypeParam>);
      if (!check_segments(kernel, c, fill<TypeParam>(random, c, family))) return;
    }
}

TYPED_TEST(cuda_segment_norms, are_right_where_long_ones_are_between_short_ones) {
  for (const op op : {op::norm1, op::sumsq}) {
    random_source random = source_of(48, std::uint64_t(op));
    const auto c = giants_case(random, op, dtype_of<TypeParam>, dtype_of<TypeParam>);
    const auto kernel = segment_float_kernel(accumulator_of(op), dtype_of<TypeParam>);
    if (!check_segments(kernel, c, fill<TypeParam>(random, c, family_named<TypeParam>("normal"))))
      return;
  }
}

// --- offsets that are wrong ----------------------------------------------------

std::uint64_t findings_of(offset_list offsets, std::int64_t items, std::int64_t work_range) {
  segments_case c;
  c.request = {op::sum, accuracy::exact, nan_policy::propagate, dtype::f32, dtype::f32};
  c.offsets = std::move(offsets);
  c.items = items;
  c.work_range = work_range;
  const std::vector<float> x(std::size_t(items), 1.0f);
  return run_segments(segment_float_kernel(onefold::accumulator::total, dtype::f32), c, bytes_of(x))
      .findings;
}

TEST(cuda_segment_offsets, that_fall_or_reach_beyond_are_found_without_a_read_outside) {
  constexpr std::int64_t huge = std::int64_t(1) << 62;
  EXPECT_EQ(findings_of({0, 10, 20}, 20, 64), 0u);
  EXPECT_EQ(findings_of({-1, 10, 20}, 20, 64), cuda::offsets_are_wrong);
  EXPECT_EQ(findings_of({0, 10, 21}, 20, 64), cuda::offsets_are_wrong);
  EXPECT_EQ(findings_of({30, 31}, 20, 64), cuda::offsets_are_wrong);
  EXPECT_EQ(findings_of({0, 12, 10, 20}, 20, 64), cuda::offsets_are_wrong);
  EXPECT_EQ(findings_of({0, huge, 20}, 20, 64), cuda::offsets_are_wrong);
  EXPECT_EQ(findings_of({0, -huge * 2, 20}, 20, 64), cuda::offsets_are_wrong);
  EXPECT_EQ(findings_of({5, 4, 20}, 20, 64), cuda::offsets_are_wrong);
}

TEST(cuda_segment_offsets, with_one_wrong_among_many_are_found) {
  for (int i = 0; i < 60; ++i) {
    random_source random = source_of(50, std::uint64_t(i));
    const lengths lengths = all_lengths[random.below(std::size(all_lengths))];
    offset_list offsets = random_offsets(random, lengths, random.between(3, 500), 5);
    const std::int64_t items = offsets.back();
    const std::size_t k = 1 + random.below(offsets.size() - 2);
    const std::int64_t before = offsets[k - 1], after = offsets[k + 1];
    if (random.one_in(2))
      offsets[k] = before - 1 - std::int64_t(random() >> 2);
    else
      offsets[k] = after + 1 + std::int64_t(random() >> 2);
    if (random.one_in(2)) offsets[k] = random.one_in(2) ? before - 1 : after + 1;
    EXPECT_EQ(findings_of(offsets, items, random.between(20, 400)), cuda::offsets_are_wrong)
        << "offset " << k << " is " << offsets[k] << " between " << before << " and " << after
        << ", seed " << seed();
  }
}

// --- mutations -------------------------------------------------------------------

// How many of the answers differ from the CPU's.
template <class T>
int wrong_answers(segments_variant variant, const char* family, op op, lengths lengths) {
  int wrong = 0;
  for (int i = 0; i < 4; ++i) {
    random_source random = source_of(60, std::uint64_t(i));
    const auto c = random_case(random, lengths, op, dtype_of<T>, dtype_of<T>);
    const auto x = fill<T>(random, c, family_named<T>(family));
    const auto right = cpu_answers(c.request, c.offsets, x, 0);
    const auto kernel = segment_float_kernel(onefold::accumulator::total, dtype_of<T>, variant);
    const auto got = run_segments(kernel, c, x).bytes;
    for (std::size_t k = 0; k < c.count(); ++k)
      wrong +=
          std::memcmp(right.data() + sizeof(T) * k, got.data() + sizeof(T) * k, sizeof(T)) != 0;
  }
  return wrong;
}

// Sums and means of few elements are often ties, and decided where they are exact.
TEST(cuda_segment_paths, of_ordinary_ones_are_certified_and_of_cancelling_ones_are_not) {
  constexpr auto marks = segments_variant::marks;
  for (const lengths kind : {lengths::short_ones, lengths::mixed})
    for (const op op : {op::sum, op::mean}) {
      EXPECT_EQ(wrong_answers<float>(marks, "normal", op, kind), 0);
      EXPECT_EQ(wrong_answers<double>(marks, "normal", op, kind), 0);
    }
  EXPECT_EQ(wrong_answers<bf16>(marks, "normal", op::sum, lengths::short_ones), 0);
  EXPECT_GT(wrong_answers<float>(marks, "ill-conditioned", op::sum, lengths::mixed), 0);
}

TEST(cuda_segment_mutation, of_intervals_rounded_to_nearest_is_caught) {
  constexpr auto nearest = segments_variant::nearest;
  EXPECT_GT(wrong_answers<float>(nearest, "ill-conditioned", op::sum, lengths::mixed), 0);
}

// --- waits -----------------------------------------------------------------------

using simt::wait_kind;

// length: of the long segments among short ones. work_range: of a warp. The lanes share the short
// ones; the whole stages of a long one have a loop of their own.
void check_window(int length, int apart, std::int64_t work_range) {
  segments_case c;
  c.request = {op::sum, accuracy::exact, nan_policy::propagate, dtype::f32, dtype::f32};
  c.offsets = {3};
  for (int k = 0; k < 300; ++k)
    c.offsets.push_back(c.offsets.back() + (k % apart == 9 ? length : k % 40));
  c.items = c.offsets.back() + 5, c.work_range = work_range;
  random_source random = source_of(61, 0);
  const auto x = fill<float>(random, c, family_named<float>("normal"));
  check_segments(segment_float_kernel(onefold::accumulator::total, dtype::f32), c, x);
}

TEST(cuda_segment_windows, need_every_wait) {
  const auto check = [] { check_window(900, 50, 2000), check_window(2100, 90, 5000); };
  EXPECT_EQ(simt::test::expect_every_wait_counts("src/cuda/kernels/segments/window.cuh", check),
            (std::set{wait_kind::commit, wait_kind::copy_wait, wait_kind::warp_barrier}));
}

}  // namespace
}  // namespace onefold::test
