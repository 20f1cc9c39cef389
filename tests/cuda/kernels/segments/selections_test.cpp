// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of segments under the executor, of every element type.

#include "tests/cuda/kernels/segments/runs.hpp"
#include "tests/cuda/kernels/segments/selected_elements.hpp"

namespace onefold::test {
namespace {

void leave_none_empty(segments_case& c) {
  offset_list some = {c.offsets[0]};
  for (const std::int64_t offset : c.offsets)
    if (offset > some.back()) some.push_back(offset);
  c.offsets = some;
}

TEST(cuda_segment_selections, are_right_for_every_operator_type_and_policy) {
  std::uint64_t index = 0;
  for (const op op : selections)
    for (const dtype type : all_dtypes) {
      if (accumulator_of(op) == onefold::accumulator::bits && is_floating(type)) continue;
      random_source random = source_of(1, ++index);
      const lengths lengths = all_lengths[random.below(std::size(all_lengths))];
      auto c = random_case(random, lengths, op, type, default_output(op, type));
      c.first_index = random.between(0, 5);
      const bool omit = random.one_in(2);
      if (omit) c.request.nan = nan_policy::omit;
      if (!may_be_empty(op)) leave_none_empty(c);
      const bool nans = !omit || may_be_empty(op);  // else a segment may hold nothing more
      const auto kernel = segment_selection_kernel(op, type);
      if (!check_segments(kernel, c, elements(random, type, c.items, nans))) return;
    }
}

TEST(cuda_segment_selections, are_right_in_rows_for_every_operator_and_type) {
  std::uint64_t index = 0;
  for (const op op : selections)
    for (const dtype type : all_dtypes) {
      if (accumulator_of(op) == onefold::accumulator::bits && is_floating(type)) continue;
      random_source random = source_of(3, ++index);
      auto c = random_case(random, lengths::ones, op, type, default_output(op, type));
      c.length = random.one_in(3) ? random.between(1, 9) : random.between(10, 700);
      const int rows = random.between(1, 60);
      c.offsets.clear();
      for (int k = 0; k <= rows; ++k) c.offsets.push_back(k * c.length);
      c.items = c.offsets.back(), c.first_index = random.between(0, 5);
      if (may_be_empty(op) && random.one_in(2)) c.request.nan = nan_policy::omit;
      const auto kernel = segment_selection_kernel(op, type);
      if (!check_segments(kernel, c, elements(random, type, c.items, true))) return;
    }
}

TEST(cuda_segment_selections, are_right_where_long_ones_are_between_short_ones) {
  std::uint64_t index = 0;
  for (const op op : selections)
    for (const dtype type : {dtype::u8, dtype::i16, dtype::f32, dtype::f64, dtype::i64}) {
      if (accumulator_of(op) == onefold::accumulator::bits && is_floating(type)) continue;
      random_source random = source_of(4, ++index);
      auto c = giants_case(random, op, type, default_output(op, type));
      if (!may_be_empty(op)) leave_none_empty(c);
      const auto kernel = segment_selection_kernel(op, type);
      if (!check_segments(kernel, c, elements(random, type, c.items, true))) return;
    }
}

TEST(cuda_segment_selections, are_right_where_many_blocks_share_one) {
  for (const op op : selections) {
    random_source random = source_of(2, std::uint64_t(op));
    const bool bits = accumulator_of(op) == onefold::accumulator::bits;
    const dtype type = bits ? dtype::u16 : dtype::f32;
    segments_case c;
    c.request = {op, accuracy::exact, nan_policy::propagate, type, default_output(op, type)};
    c.offsets = {2, 9, 15000, 15001};
    c.items = 15001, c.work_range = 50, c.warps = 1;
    const auto kernel = segment_selection_kernel(op, type);
    if (!check_segments(kernel, c, elements(random, type, c.items, random.one_in(2)))) return;
  }
}

// Lanes that have but zeros, of either sign, and one that has the next number below them.
TEST(cuda_segment_selections, have_positions_that_distinguish_zeros_from_the_number_below_them) {
  segments_case c;
  c.request = {op::argmin, accuracy::exact, nan_policy::propagate, dtype::f32, dtype::i64};
  c.offsets = {0, 200}, c.items = 200;
  std::vector<float> x(200, 0.0f);
  x[7] = -0.0f, x[150] = detail::from_bits<float>(0x80000001);
  check_segments(segment_selection_kernel(op::argmin, dtype::f32), c, bytes_of(x));
}

// Rows of whole slots, with and without NaNs, in which the greatest element comes again.
TEST(cuda_segment_selections, have_right_positions_in_whole_slots) {
  std::uint64_t index = 0;
  for (const op op : {op::argmin, op::argmax})
    for (const unsigned rarely : {9u, 300u, 100000u}) {
      random_source random = source_of(4, ++index);
      segments_case c;
      c.request = {op, accuracy::exact, nan_policy::propagate, dtype::f32, dtype::i64};
      c.length = random.one_in(2) ? 1024 : 512, c.work_range = 16384;
      for (int k = 0; k <= 12; ++k) c.offsets.push_back(k * c.length);
      c.items = c.offsets.back();
      std::vector<float> x(std::size_t(c.items), 0.0f);
      for (float& value : x) {
        if (random.one_in(2)) value = -value;
        if (random.one_in(100)) value = random.one_in(2) ? -1.0f : 1.0f;
        if (random.one_in(rarely))
          value = detail::from_bits<float>(random.one_in(2) ? 0x7FC00000 : 0xFFC00000);
      }
      if (!check_segments(segment_selection_kernel(op, dtype::f32), c, bytes_of(x))) return;
    }
}

std::uint64_t findings_of(op op, nan_policy nan, const std::vector<float>& x,
                          const offset_list& offsets) {
  segments_case c;
  c.request = {op, accuracy::exact, nan, dtype::f32, default_output(op, dtype::f32)};
  c.offsets = offsets, c.items = std::int64_t(x.size());
  const auto kernel = segment_selection_kernel(op, dtype::f32);
  return run_segments(kernel, c, bytes_of(x)).findings;
}

TEST(cuda_segment_selections, without_an_answer_are_found) {
  const float nan = detail::from_bits<float>(0x7FC00000);
  const std::vector<float> x = {1, nan, 2, nan};
  const offset_list two = {0, 2, 4}, one_empty = {0, 2, 2, 4}, nan_alone = {0, 1, 2, 4};
  using enum nan_policy;
  EXPECT_EQ(findings_of(op::min, propagate, x, two), 0u);
  EXPECT_EQ(findings_of(op::min, propagate, x, one_empty), cuda::segment_is_empty);
  EXPECT_EQ(findings_of(op::norminf, propagate, x, one_empty), 0u);
  EXPECT_EQ(findings_of(op::argmax, omit, x, two), 0u);
  EXPECT_EQ(findings_of(op::argmax, omit, x, nan_alone), cuda::segment_is_empty);
  EXPECT_EQ(findings_of(op::max, nan_policy::error, x, two), cuda::met_nan);
  EXPECT_EQ(findings_of(op::count, nan_policy::error, x, two), cuda::met_nan);
}

TEST(cuda_segment_selections, do_not_hold_the_norm_of_the_least_integer) {
  segments_case c;
  c.request = {op::norminf, accuracy::exact, nan_policy::propagate, dtype::i64, dtype::i64};
  c.offsets = {0, 2}, c.items = 2;
  const std::vector<std::int64_t> x = {std::int64_t(std::uint64_t(1) << 63), 1};
  const auto kernel = segment_selection_kernel(op::norminf, dtype::i64);
  EXPECT_EQ(run_segments(kernel, c, bytes_of(x)).findings, cuda::sum_does_not_fit);
}

}  // namespace
}  // namespace onefold::test
