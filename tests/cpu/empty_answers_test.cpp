// SPDX-License-Identifier: Apache-2.0
// options::min_count and options::empty_value: segments and groups against a loop over each.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "onefold/onefold.hpp"
#include "support/ieee.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr op tried[] = {op::sum,  op::mean, op::norm1, op::var,    op::min,           op::max,
                        op::prod, op::all,  op::count, op::argmin, op::count_nonzero, op::norminf};

struct request {
  onefold::op op = onefold::op::sum;
  options how;
  std::vector<std::uint8_t> mask;
};

// The elements of an answer, by their indices, as a view of its own; positions are moved back.
double answer_of(const request& request, const std::vector<double>& x,
                 const std::vector<std::int64_t>& places) {
  std::vector<double> own;
  std::vector<std::uint8_t> mask;
  std::int64_t counted = request.how.initial ? 1 : 0;
  for (const std::int64_t i : places) {
    const auto at = std::size_t(i);
    own.push_back(x[at]);
    if (!request.mask.empty()) mask.push_back(request.mask[at]);
    const bool left_out = (!request.mask.empty() && request.mask[at] == 0) ||
                          (request.how.nan_policy == nan_policy::omit && std::isnan(x[at]));
    counted += !left_out;
  }
  const bool selects = request.op == op::min || request.op == op::max || request.op == op::argmin;
  if (counted < std::max<std::int64_t>(request.how.min_count, selects ? 1 : 0)) return 77;
  options how = request.how;
  how.min_count = 0, how.empty_value.reset(), how.where.reset();
  if (!request.mask.empty()) how.where = array_view(mask);
  const double made = try_reduce<double>(executor::cpu{1}, request.op, own, how).value();
  return request.op == op::argmin ? double(places[std::size_t(made)]) : made;
}

request any_request(random_source& random, std::size_t n) {
  request made;
  made.op = tried[random.below(std::size(tried))];
  made.how.empty_value = 77;
  made.how.min_count = random.between(0, 3);
  made.how.nan_policy = random.one_in(2) ? nan_policy::omit : nan_policy::propagate;
  if (random.one_in(3) && (made.op == op::sum || made.op == op::min)) made.how.initial = 2.5;
  if (made.op != op::argmin && random.one_in(2)) {
    made.mask.resize(n);
    for (auto& each : made.mask) each = std::uint8_t(random.below(2));
    made.how.where = array_view(made.mask);
  }
  return made;
}

std::vector<double> any_elements(random_source& random, std::size_t n) {
  std::vector<double> x(n);
  for (double& each : x) each = random.one_in(3) ? nan : random.between(-9, 9) * 0.25;
  return x;
}

std::vector<std::uint64_t> bits_of_all(const std::vector<double>& x) {
  std::vector<std::uint64_t> bits;
  for (const double each : x) bits.push_back(as_bits(each));
  return bits;
}

TEST(empty_answers, of_segments_are_replaced) {
  for (std::uint64_t k = 0; k < 600; ++k) {
    random_source random = source_of(5100, k);
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k));
    const std::size_t n = random.below(40);
    const auto x = any_elements(random, n);
    const request request = any_request(random, n);
    std::vector<std::int64_t> offsets = {std::int64_t(random.below(3) * n / 8)};
    while (offsets.size() < 2 || random.below(12) > 0)
      offsets.push_back(std::min(std::int64_t(n), offsets.back() + std::int64_t(random.below(5))));
    std::vector<double> wanted, made(offsets.size() - 1);
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      std::vector<std::int64_t> places(std::size_t(offsets[i + 1] - offsets[i]));
      std::iota(places.begin(), places.end(), offsets[i]);
      wanted.push_back(answer_of(request, x, places));
    }
    const output_view to(made.data(), dtype::f64, {{std::int64_t(made.size()), 8}});
    const auto done = reduce_segments(executor::cpu{2}, request.op, x, offsets, to, request.how);
    ASSERT_TRUE(done.ok()) << name(request.op) << ": " << done.message();
    ASSERT_EQ(bits_of_all(made), bits_of_all(wanted)) << name(request.op);
  }
}

TEST(empty_answers, of_groups_are_replaced) {
  for (std::uint64_t k = 0; k < 600; ++k) {
    random_source random = source_of(5101, k);
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k));
    const std::size_t n = random.below(60);
    const auto x = any_elements(random, n);
    const request request = any_request(random, n);
    std::vector<std::int32_t> keys(n);
    for (auto& each : keys) each = random.between(-9, 9);
    if (random.one_in(3)) std::sort(keys.begin(), keys.end());
    std::map<std::int32_t, std::vector<std::int64_t>> groups;
    for (std::size_t i = 0; i < n; ++i) groups[keys[i]].push_back(std::int64_t(i));
    std::vector<double> wanted, made;
    for (const auto& [key, places] : groups) wanted.push_back(answer_of(request, x, places));
    std::vector<std::int32_t> distinct;
    const auto make = [&](std::int64_t count) -> group_outputs {
      distinct.resize(std::size_t(count)), made.resize(std::size_t(count));
      return {distinct.data(), {made.data(), dtype::f64, {{count, 8}}}};
    };
    const auto done = reduce_by_key(executor::cpu{2}, request.op, keys, x, make, request.how);
    ASSERT_TRUE(done.ok()) << name(request.op) << ": " << done.message();
    ASSERT_EQ(bits_of_all(made), bits_of_all(wanted)) << name(request.op);
  }
}

TEST(empty_answers, of_minmax_are_both_replaced) {
  const std::vector<float> x = {1, 2};
  const std::vector<std::int64_t> offsets = {0, 0, 2, 2};
  const auto made = segments<op::minmax>(x, offsets, {.empty_value = -1});
  EXPECT_EQ(std::vector<float>(made.begin(), made.end()),
            (std::vector<float>{-1, -1, 1, 2, -1, -1}));
}

template <class Out>
status reduce_to(op op, const options& how) {
  const std::vector<std::int64_t> x = {1, 2}, offsets = {0, 0, 2};
  Out made[2] = {};
  return reduce_segments(executor::cpu{}, op, x, offsets,
                         output_view(made, dtype_of<Out>, {{2, sizeof(Out)}}), how);
}

TEST(empty_answers, have_a_value_of_the_outputs_type) {
  EXPECT_TRUE(reduce_to<double>(op::max, {.empty_value = nan}).ok());
  EXPECT_TRUE(reduce_to<f16>(op::max, {.empty_value = nan}).ok());
  EXPECT_TRUE(reduce_to<std::int64_t>(op::max, {.empty_value = -7.0}).ok());
  for (const scalar value : {scalar(nan), scalar(0.5), scalar(0x1p63)})
    EXPECT_EQ(reduce_to<std::int64_t>(op::max, {.empty_value = value}).code(),
              status_code::mismatch);
  EXPECT_EQ(reduce_to<std::uint8_t>(op::max, {.empty_value = -1}).code(), status_code::mismatch);
  EXPECT_EQ(reduce_to<bool>(op::all, {.min_count = 1, .empty_value = 2}).code(),
            status_code::mismatch);
  EXPECT_TRUE(reduce_to<bool>(op::all, {.min_count = 1, .empty_value = 0}).ok());
}

TEST(empty_answers, are_an_error_without_a_value) {
  EXPECT_EQ(reduce_to<double>(op::max, {}).code(), status_code::empty);
  const auto why = reduce_to<double>(op::sum, {.min_count = 1});
  EXPECT_EQ(why.code(), status_code::empty);
  EXPECT_NE(why.message().find("options::empty_value"), std::string::npos) << why.message();
  EXPECT_TRUE(reduce_to<double>(op::sum, {}).ok());
  EXPECT_EQ(reduce_to<double>(op::sum, {.min_count = -1}).code(), status_code::usage);
}

// Two pieces of one view, as segments, as runs of keys and as keys in any order. The second is of
// two elements.
template <class Out, class T>
void expect_pieces(op op, const std::vector<T>& x, options how, Out first, status_code code) {
  const auto n = std::int64_t(x.size());
  const std::vector<std::int64_t> offsets = {0, n - 2, n};
  std::vector<std::int32_t> ascending(x.size(), 1), keys;
  ascending[x.size() - 1] = ascending[x.size() - 2] = 2;
  // The same elements, with the two of the second piece first.
  std::vector<T> others(x.end() - 2, x.end());
  others.insert(others.end(), x.begin(), x.end() - 2);
  keys.assign(x.size(), 1), keys[0] = keys[1] = 2;
  std::vector<std::int32_t> distinct;
  Out made[2] = {};
  const output_view to(made, dtype_of<Out>, {{2, sizeof(Out)}});
  const auto make = [&](std::int64_t count) -> group_outputs {
    return distinct.resize(std::size_t(count)), group_outputs{distinct.data(), to};
  };
  const auto expect = [&](const status& done, const char* where) {
    EXPECT_EQ(done.code(), code) << where << ": " << name(op) << ": " << done.message();
    if (!done) return;
    EXPECT_EQ(made[0], first) << where << ": " << name(op);
    EXPECT_EQ(made[1], Out(77)) << where << ": " << name(op);
  };
  expect(reduce_segments(executor::cpu{2}, op, x, offsets, to, how), "segments");
  expect(reduce_by_key(executor::cpu{2}, op, ascending, x, make, how), "runs of keys");
  if (is_position(op)) how.first_index -= 2;
  expect(reduce_by_key(executor::cpu{2}, op, keys, others, make, how), "keys");
}

TEST(empty_answers, need_not_fit_the_output) {
  using list = std::vector<std::int64_t>;
  const list x = {5, 5, 5, INT64_MAX, INT64_MAX};
  const options three = {.min_count = 3, .empty_value = 77};
  for (const auto& [op, first] :
       std::map<op, std::int64_t>{{op::sum, 15}, {op::norm1, 15}, {op::sumsq, 75}, {op::prod, 125}})
    expect_pieces<std::int64_t>(op, x, three, first, status_code::ok);
  for (const op op : {op::sum, op::norm1, op::max, op::min, op::norminf, op::bit_or})
    expect_pieces<std::int8_t>(op, x, three, std::int8_t(op == op::sum || op == op::norm1 ? 15 : 5),
                               status_code::ok);
  options far = three;
  far.first_index = 125;
  expect_pieces<std::int8_t>(op::argmax, x, far, 125, status_code::ok);
}

TEST(empty_answers, that_are_not_replaced_have_to_fit) {
  using list = std::vector<std::int64_t>;
  const list x = {INT64_MAX, INT64_MAX, 5, INT64_MAX, INT64_MAX};
  const list small = {5, 5, 5, INT64_MAX, INT64_MAX};
  for (const op op : {op::sum, op::norm1, op::sumsq, op::prod}) {
    expect_pieces<std::int64_t>(op, x, {.min_count = 3, .empty_value = 77}, 0,
                                status_code::overflow);
    expect_pieces<std::int64_t>(op, small, {.min_count = 3}, 0, status_code::empty);
    expect_pieces<std::int64_t>(op, small, {.min_count = 2, .empty_value = 77}, 0,
                                status_code::overflow);
  }
  // A NaN is refused wherever it is, and so is a type that no answer has.
  const options refusing = {.nan_policy = nan_policy::error, .min_count = 3, .empty_value = 77};
  for (const op op : {op::sum, op::max, op::prod, op::var})
    expect_pieces<double>(op, std::vector<double>{5, 5, 5, nan, 1}, refusing, 0,
                          status_code::not_a_number);
  expect_pieces<std::int64_t>(op::mean, list{5, 5, 5, 1, 1}, {.min_count = 6, .empty_value = 77}, 0,
                              status_code::unsupported);
}

TEST(empty_answers, are_of_segments_and_groups_alone) {
  const std::vector<double> x = {1, 2};
  const auto refused = [](const status& why) {
    EXPECT_EQ(why.code(), status_code::unsupported);
    EXPECT_NE(why.message().find("options::min_count"), std::string::npos) << why.message();
  };
  refused(try_reduce<double>(executor::cpu{}, op::sum, x, {.min_count = 1}).why());
  refused(try_reduce<double>(executor::cpu{}, op::var, x, {.empty_value = 1}).why());
  refused(try_partial(executor::cpu{}, op::sum, x, {.min_count = 1}).why());
}

TEST(corrections, that_are_no_finite_numbers_are_refused) {
  const std::vector<double> x = {1, 2, 4};
  for (const double c : {nan, std::numeric_limits<double>::infinity()}) {
    for (const op op : {op::var, op::sum})
      EXPECT_EQ(try_reduce<double>(executor::cpu{}, op, x, {.correction = c}).why().code(),
                status_code::usage);
    EXPECT_EQ(partial(op::var, x).try_value<double>({.correction = c}).why().code(),
              status_code::usage);
  }
}

}  // namespace
}  // namespace onefold::test
