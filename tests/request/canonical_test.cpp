// SPDX-License-Identifier: Apache-2.0
// Canonicalisation against a walk over the view: the same elements, in as few axes as possible.
#include "request/canonical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "onefold/onefold.hpp"
#include "support/fast_model.hpp"
#include "support/views.hpp"

namespace onefold::test {
namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr auto least = std::numeric_limits<std::int64_t>::min();

// Of a view whose axes are all reduced, as axes of one operand.
struct flat_view {
  axis_list axes;
  std::int64_t origin_bytes = 0;
  std::int64_t items = 0;
};

result<flat_view> canonicalise(const array_view& x) {
  plan loops;
  const auto done = onefold::canonicalise({&x, nullptr, nullptr}, onefold::all_axes, false, loops);
  if (!done) return done;
  flat_view flat;
  for (const loop_axis& axis : loops.reduced) flat.axes.push_back({axis.extent, axis.x_bytes});
  flat.origin_bytes = loops.origin.x_bytes;
  flat.items = loops.items;
  return flat;
}

std::string context(const random_view& x, std::uint64_t index) {
  return "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", view " + std::to_string(index) + ": " +
         text_of(x);
}

std::vector<std::int64_t> offsets(const axis_list& axes, std::int64_t origin) {
  std::vector<std::int64_t> list;
  walk(axes, [&](std::int64_t offset) { list.push_back(origin + offset); });
  std::sort(list.begin(), list.end());
  return list;
}

// Falling strides, broadcast axes first, none of one element, no two that walk memory as one.
void expect_canonical(const axis_list& axes, const std::string& where) {
  for (int i = 0; i < axes.size(); ++i) {
    EXPECT_GT(axes[i].extent, 1) << where;
    EXPECT_GE(axes[i].stride_bytes, 0) << where;
    if (i == 0) continue;
    const auto outer = axes[i - 1].stride_bytes, inner = axes[i].stride_bytes;
    EXPECT_TRUE(outer == 0 || (inner != 0 && outer >= inner)) << where;
    EXPECT_FALSE(outer == inner * axes[i].extent) << where;
  }
}

int any_rank(random_source& random) {
  return random.one_in(50) ? 64 : random.between(0, 8);
}

TEST(canonical_form, has_the_elements_of_the_view_and_no_more_axes_than_needed) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(20'000, 200)); ++k) {
    random_source random = source_of(1100, k);
    const auto type = all_dtypes[random.below(std::size(all_dtypes))];
    const auto x = make_view(random, type, any_rank(random), 2000);
    const auto canonical = canonicalise(x.view());
    ASSERT_TRUE(canonical.ok()) << context(x, k) << canonical.why().message();
    const auto expected = offsets(x.axes, 0);
    EXPECT_EQ(canonical->items, std::int64_t(expected.size())) << context(x, k);
    if (expected.empty()) continue;
    expect_canonical(canonical->axes, context(x, k));
    EXPECT_EQ(offsets(canonical->axes, canonical->origin_bytes), expected) << context(x, k);
  }
}

template <class T>
std::vector<std::byte> state_of(const std::vector<T>& elements) {
  if constexpr (!std::is_same_v<T, bool>) {
    exact_sum<T> sum;
    state made(op::sum, dtype_of<T>);
    for (const T& x : elements) sum.add(x);
    std::get<exact_sum<std::conditional_t<std::is_integral_v<T>, std::int64_t, T>>>(
        detail::state_access::known(made)) = sum;
    return made.bytes();
  } else {
    return {};
  }
}

// Random bytes are infinities and NaN now and then, which is welcome.
template <class T>
void try_view(const random_view& x, int threads, const std::string& where) {
  const executor cores = executor::cpu{threads};
  const auto elements = gathered<T>(x.origin(), x.axes);
  const auto got = try_partial(cores, op::sum, x.view());
  ASSERT_TRUE(got.ok()) << where << got.why().message();
  EXPECT_EQ(got->bytes(), state_of(elements)) << where;
  const auto value = try_reduce<answer_type<op::sum, T>>(cores, op::sum, x.view());
  const auto expected = got->try_value<answer_type<op::sum, T>>();
  ASSERT_EQ(value.ok(), expected.ok()) << where;
  if (!value.ok()) return;
  EXPECT_EQ(std::memcmp(&*value, &*expected, sizeof *value), 0) << where;
}

void try_sums(std::uint64_t stream, std::uint64_t count, std::int64_t most_items) {
  for (std::uint64_t k = 0; k < count; ++k) {
    random_source random = source_of(stream, k);
    const auto type = all_dtypes[1 + random.below(std::size(all_dtypes) - 1)];
    const int rank = most_items > 1000 ? random.between(4, 9) : any_rank(random);
    const auto x = make_view(random, type, rank, most_items);
    with_type(type, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_same_v<T, bool>) try_view<T>(x, random.between(1, 4), context(x, k));
    });
  }
}

TEST(canonical_form, has_the_sum_of_the_elements_walked_one_by_one) {
  try_sums(1200, std::uint64_t(cases(20'000, 200)), 900);
}
TEST(canonical_form, has_the_sum_of_many_chunks_walked_one_by_one) {
  try_sums(1300, std::uint64_t(cases(60, 4)), 400'000);
}

// The tree of a fast sum is cut over the elements in canonical order.
TEST(canonical_form, has_the_order_of_fast_sums) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(1000, 40)); ++k) {
    random_source random = source_of(1400, k);
    auto x = make_view(random, dtype::f32, any_rank(random), k % 100 ? 900 : 300'000);
    const auto canonical = canonicalise(x.view());
    ASSERT_TRUE(canonical.ok());
    const auto* first = static_cast<const std::byte*>(x.origin()) + canonical->origin_bytes;
    const auto elements =
        canonical->items == 0 ? std::vector<float>() : gathered<float>(first, canonical->axes);
    exact_sum<float> expected;
    expected.add(fast_model<float>::sum(elements));
    const auto got = try_reduce<float>(executor::cpu{random.between(1, 4)}, op::sum, x.view(),
                                       {.accuracy = accuracy::fast});
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(hex(as_bits(*got)), hex(as_bits(expected.value()))) << context(x, k);
  }
}

status_code code_of(const axis_list& axes) {
  static const double element = 1;
  const array_view x(&element, dtype::f64, axes);
  const auto canonical = canonicalise(x);
  const auto sum = try_reduce<double>({}, op::sum, x);
  EXPECT_EQ(canonical.why().code(), sum.why().code());
  return canonical.why().code();
}

TEST(canonical_form, refuses_extents_below_zero_whatever_the_others_are) {
  EXPECT_EQ(code_of({{-1, 8}}), status_code::mismatch);
  EXPECT_EQ(code_of({{-1, 8}, {0, 8}}), status_code::mismatch);
  EXPECT_EQ(code_of({{0, 8}, {-1, 8}}), status_code::mismatch);
  EXPECT_EQ(code_of({{least, 8}, {2, 0}}), status_code::mismatch);
  EXPECT_EQ(code_of({{-3, 0}, {-5, 0}}), status_code::mismatch);
}

TEST(canonical_form, takes_views_of_no_element_however_long_their_other_axes) {
  EXPECT_EQ(code_of({{0, 8}}), status_code::ok);
  EXPECT_EQ(code_of({{most, most}, {0, 8}, {most, least}}), status_code::ok);
}

const array_view view_of(const axis_list& axes) {
  return {nullptr, dtype::u8, axes};
}

TEST(canonical_form, takes_counts_of_63_bits_and_refuses_longer_ones) {
  EXPECT_EQ(canonicalise(view_of({{most, 0}}))->items, most);
  EXPECT_EQ(canonicalise(view_of({{most / 7, 0}, {7, 0}}))->items, most);
  EXPECT_EQ(canonicalise(view_of({{std::int64_t(1) << 62, 0}, {2, 0}})).why().code(),
            status_code::mismatch);
  EXPECT_EQ(canonicalise(view_of({{most, 0}, {most, 0}, {most, 0}})).why().code(),
            status_code::mismatch);
}

TEST(canonical_form, takes_ranges_of_63_bits_and_refuses_longer_ones) {
  EXPECT_EQ(canonicalise(view_of({{2, most}}))->axes, (axis_list{{2, most}}));
  EXPECT_EQ(canonicalise(view_of({{2, -most}}))->origin_bytes, -most);
  for (const axis_list& axes : {axis_list{{2, least}}, axis_list{{3, most}}, axis_list{{3, -most}},
                                axis_list{{2, most}, {2, 1}}, axis_list{{2, most}, {2, -1}},
                                axis_list{{most, most}}, axis_list{{most, least}}})
    EXPECT_EQ(canonicalise(view_of(axes)).why().code(), status_code::mismatch);
}

// The end of the inner axis, which a merge compares with the outer stride, needs 64 bits here.
TEST(canonical_form, merges_no_axes_whose_end_is_beyond_63_bits) {
  const auto canonical = canonicalise(view_of({{1, 1}, {2, most}, {1, 5}}));
  EXPECT_EQ(canonical->axes, (axis_list{{2, most}}));
  const axis_list far = {{2, most / 2 + 1}, {2, most / 2}};
  EXPECT_EQ(canonicalise(view_of(far))->axes, far);
}

}  // namespace
}  // namespace onefold::test
