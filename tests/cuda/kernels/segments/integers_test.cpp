// SPDX-License-Identifier: Apache-2.0
// Segments of integers under the executor: sums in 64 bits, means and sums in f64.

#include <limits>

#include "tests/cuda/kernels/segments/runs.hpp"

namespace onefold::test {
namespace {

template <class T>
class cuda_segment_integers : public testing::Test {
 public:
  static std::vector<std::byte> elements(random_source& random, std::int64_t n, bool small) {
    const std::uint64_t kind = small ? 3 : random.below(4);
    std::vector<T> x(std::size_t(n), T(0));
    for (T& element : x) {
      element = T(random());
      if (kind == 1) element = std::numeric_limits<T>::min();
      if (kind == 2) element = std::numeric_limits<T>::max();
      if (kind == 3) element = T(random.between(std::is_signed_v<T> ? -3 : 0, 3));
    }
    return bytes_of(x);
  }
};

using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_segment_integers, integers);

TYPED_TEST(cuda_segment_integers, have_right_sums_and_means) {
  const dtype type = dtype_of<TypeParam>;
  for (const lengths kind : all_lengths)
    for (const op op : {op::sum, op::mean}) {
      random_source random = source_of(1 + std::uint64_t(op), std::uint64_t(kind));
      const bool to_float = op == op::mean || random.one_in(3);
      const auto c = random_case(random, kind, op, type,
                                 to_float ? dtype::f64 : default_output(op::sum, type));
      const bool small = sizeof(TypeParam) == 8 && !to_float;
      const auto x = this->elements(random, c.items, small);
      if (!check_segments(segment_integer_kernel(type), c, x)) return;
    }
}

TYPED_TEST(cuda_segment_integers, are_right_in_work_ranges_of_many_tiles) {
  const dtype type = dtype_of<TypeParam>;
  for (const lengths kind : {lengths::empties, lengths::short_ones, lengths::mixed}) {
    random_source random = source_of(7, std::uint64_t(kind));
    auto c = random_case(random, kind, op::sum, type, default_output(op::sum, type));
    c.offsets = random_offsets(random, kind, kind == lengths::mixed ? 300 : 4000, 0);
    c.items = c.offsets.back(), c.work_range = 20000, c.warps = 2, c.misplaced = 0;
    const auto x = this->elements(random, c.items, sizeof(TypeParam) == 8);
    if (!check_segments(segment_integer_kernel(type), c, x)) return;
  }
}

TYPED_TEST(cuda_segment_integers, are_right_where_long_ones_are_between_short_ones) {
  const dtype type = dtype_of<TypeParam>;
  random_source random = source_of(8, 0);
  const auto c = giants_case(random, op::sum, type, default_output(op::sum, type));
  const auto x = this->elements(random, c.items, sizeof(TypeParam) == 8);
  check_segments(segment_integer_kernel(type), c, x);
}

TYPED_TEST(cuda_segment_integers, wrap_where_fast_and_are_found_where_an_exact_sum_does_not_fit) {
  const dtype type = dtype_of<TypeParam>;
  if (sizeof(TypeParam) < 8) return;
  random_source random = source_of(9, 0);
  auto c = random_case(random, lengths::mixed, op::sum, type, default_output(op::sum, type));
  c.offsets = {0, 1, 2, 5, c.items = 9000};
  const std::vector<TypeParam> x(std::size_t(c.items), std::numeric_limits<TypeParam>::max());
  EXPECT_EQ(run_segments(segment_integer_kernel(type), c, bytes_of(x)).findings,
            cuda::sum_does_not_fit);
  c.request.accuracy = accuracy::fast;
  EXPECT_TRUE(check_segments(segment_integer_kernel(type), c, bytes_of(x)));
}

TEST(cuda_segment_booleans, may_be_any_bytes) {
  for (const lengths kind : all_lengths) {
    random_source random = source_of(11, std::uint64_t(kind));
    const auto c = random_case(random, kind, op::sum, dtype::boolean, dtype::i64);
    std::vector<std::byte> x(static_cast<std::size_t>(c.items));
    for (std::byte& each : x) each = random.one_in(3) ? std::byte(0) : std::byte(random() >> 56);
    if (!check_segments(segment_integer_kernel(dtype::boolean), c, x)) return;
  }
}

TEST(cuda_segment_integer_types, below_zero_do_not_fit_unsigned_outputs) {
  segments_case c;
  c.request = {op::sum, accuracy::exact, nan_policy::propagate, dtype::i32, dtype::u64};
  c.offsets = {0, 2, 4};
  c.items = 4;
  const std::vector<std::int32_t> x = {-1, 1, -1, 0}, y = {5, -5, 1, 0};
  const auto kernel = segment_integer_kernel(dtype::i32);
  EXPECT_EQ(run_segments(kernel, c, bytes_of(x)).findings, cuda::sum_does_not_fit);
  EXPECT_EQ(run_segments(kernel, c, bytes_of(y)).findings, 0u);
}

}  // namespace
}  // namespace onefold::test
