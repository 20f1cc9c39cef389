// SPDX-License-Identifier: Apache-2.0
// Several operators in one pass over windows: each has the bits that it has alone over the whole,
// however the data are cut.
#include <gtest/gtest.h>

#include "onefold/onefold.hpp"
#include "state/accumulator.hpp"
#include "support/each_target.hpp"
#include "support/walked_states.hpp"

namespace onefold::test {
namespace {

using detail::tag;
using bytes = std::vector<std::byte>;

// Some operators of one view that this type has, each once, in random order.
op_list make_list(random_source& random, dtype type) {
  op_list list;
  while (list.size() == 0)
    for (int tries = random.between(1, 9); tries > 0; --tries) {
      const op op = all_ops[random.below(std::size(all_ops))];
      const bool bits = op == op::bit_and || op == op::bit_or || op == op::bit_xor;
      if (op == op::dot || (bits && is_floating(type)) || list.contains(op)) continue;
      list.push_back(op);
    }
  return list;
}

struct answer {
  status done;
  bytes bits;
  friend bool operator==(const answer& a, const answer& b) {
    return a.done.code() == b.done.code() && (!a.done.ok() || a.bits == b.bits);
  }
};

answer alone(op op, const array_view& x, const options& how) {
  const dtype type = default_output(op, x.type());
  bytes bits(2 * size_bytes(type));
  output_view place(bits.data(), type);
  if (answers_of(op) > 1) place = {bits.data(), type, {{2, std::int64_t(size_bytes(type))}}};
  auto done = reduce(executor::cpu{1}, op, {x}, place, how);
  return {done, bits};
}

answer written(const windows& from, op op, dtype input) {
  const dtype type = default_output(op, input);
  bytes bits(2 * size_bytes(type));
  auto done = from.write(op, {bits.data(), type});
  return {done, bits};
}

// Lengths that add up to n, all but the last multiples of `unit`; empty ones too.
std::vector<std::int64_t> random_cut(random_source& random, std::int64_t n, std::int64_t unit) {
  std::vector<std::int64_t> cut;
  for (std::int64_t left = n; left > 0; left -= cut.back())
    cut.push_back(left < unit || random.one_in(5)
                      ? left
                      : unit * std::int64_t(random.below(std::uint64_t(left / unit) + 1)));
  return cut;
}

bool ordered(const op_list& list, accuracy how) {
  for (const op op : list)
    if (op == op::prod || accumulator_of(op) <= accumulator::moments)
      if (how == accuracy::fast || accumulator_of(op) > accumulator::moments) return true;
  return false;
}

bool drops_nans_of_positions(const op_list& list, const options& how) {
  return how.accuracy == accuracy::fast && how.nan_policy != nan_policy::propagate &&
         (list.contains(op::argmin) || list.contains(op::argmax));
}

template <class T>
std::vector<T> make_array(random_source& random, std::int64_t n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& element : x) {
    element = tame<T>(random);
    if constexpr (!std::is_integral_v<T>)
      if (n % 2 == 0 && random.one_in(50'000))
        element = detail::from_bits<T>(detail::float_format<T>::quiet_nan);
  }
  return x;
}

template <class T>
void try_case(std::uint64_t index) {
  random_source random = source_of(6500 + unsigned(dtype_of<T>), index);
  const auto x =
      make_array<T>(random, std::int64_t(random.below(random.one_in(3) ? 300'000 : 900)));
  const auto n = std::int64_t(x.size());
  options how{.correction = 1, .first_index = 9};
  how.nan_policy = nan_policy(random.below(3));
  if (random.one_in(3)) how.accuracy = accuracy::fast;
  const auto list = make_list(random, dtype_of<T>);
  if (drops_nans_of_positions(list, how)) return;
  const auto cut = random_cut(random, n, ordered(list, how.accuracy) ? window_items : 1);
  windows pieces(executor::cpu{random.between(1, 3)}, list, dtype_of<T>, how);
  std::int64_t first = 0;
  for (const std::int64_t length : cut) {
    const auto done = pieces.add(array_view(x.data() + first, std::size_t(length)));
    ASSERT_TRUE(done.ok()) << done.message();
    first += length;
  }
  for (const op op : list) {
    const auto whole = alone(op, x, how), got = written(pieces, op, dtype_of<T>);
    EXPECT_EQ(got, whole) << "ONEFOLD_TEST_SEED=" << seed() << ", case " << index << ": "
                          << name(how.accuracy) << " " << name(op) << " of " << n << " "
                          << name(dtype_of<T>) << " in " << cut.size() << " pieces, nan "
                          << name(how.nan_policy) << ", one of " << list.size()
                          << " operators: " << got.done.message() << " | " << whole.done.message();
  }
}

TEST(windows_of_several_operators, have_the_bits_of_each_alone_for_every_cut) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(30, 6)) && !HasFailure(); ++k) {
    try_case<double>(k), try_case<float>(k), try_case<f16>(k), try_case<bf16>(k);
    try_case<std::int8_t>(k), try_case<std::int32_t>(k), try_case<std::uint64_t>(k);
  }
}

TEST(windows_of_several_operators, are_read_while_more_is_to_come) {
  const std::vector<float> x = {3, 1, 2};
  windows pieces(executor{}, op_list{op::sum, op::argmin, op::minmax}, dtype::f32);
  ASSERT_TRUE(pieces.add(array_view(x.data(), 2)).ok());
  double sum = 0;
  std::int64_t at = -1;
  ASSERT_TRUE(pieces.write(op::sum, sum).ok() && pieces.write(op::argmin, at).ok());
  EXPECT_EQ(sum, 4);
  EXPECT_EQ(at, 1);
  ASSERT_TRUE(pieces.add(array_view(x.data() + 2, 1)).ok());
  float ends[2];
  ASSERT_TRUE(pieces.write(sum).ok() && pieces.write(op::minmax, {ends, dtype::f32}).ok());
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(ends[0], 1);
  EXPECT_EQ(ends[1], 3);
  EXPECT_EQ(pieces.partial(op::argmin)->count(), 3);
}

TEST(windows_of_several_operators, refuse_operators_that_were_not_asked_for) {
  windows pieces(executor{}, op::min, dtype::f32), none(executor{}, op_list{}, dtype::f32);
  const float x[] = {1};
  ASSERT_TRUE(pieces.add(array_view(x, 1)).ok());
  double value = -1;
  for (const op op : {op::max, op::argmin, op::sum, op::var})
    EXPECT_EQ(pieces.write(op, value).code(), status_code::mismatch) << name(op);
  EXPECT_EQ(pieces.partial(op::sum).why().code(), status_code::mismatch);
  EXPECT_EQ(none.add(array_view(x, 1)).code(), status_code::usage);
  EXPECT_EQ(none.write(value).code(), status_code::mismatch);
  EXPECT_EQ(none.partial().why().code(), status_code::mismatch);
  EXPECT_EQ(value, -1);
}

// Views and outputs whose number is known at run time.
TEST(reduce_of_several_operators, takes_spans_of_views_and_outputs) {
  for (std::uint64_t k = 0; k < 50; ++k) {
    random_source random = source_of(7, k);
    const std::vector<float> x(std::size_t(random.between(1, 300)), 1.5f);
    const op_list list = make_list(random, dtype::f32);
    const std::vector<array_view> views = {array_view(x)};
    std::vector<bytes> bits;
    std::vector<output_view> outputs;
    for (const op op : list) {
      const dtype type = default_output(op, dtype::f32);
      bits.emplace_back(2 * size_bytes(type));
      axis_list axes;
      if (answers_of(op) > 1) axes = {{2, std::int64_t(size_bytes(type))}};
      outputs.emplace_back(bits.back().data(), type, axes);
    }
    ASSERT_TRUE(make_plan(executor::cpu{1}, list, views));
    ASSERT_TRUE(reduce(executor::cpu{1}, list, views, outputs));
    for (int i = 0; i < list.size(); ++i)
      EXPECT_EQ(bits[std::size_t(i)], alone(list[i], views[0], {}).bits) << name(list[i]);
    outputs.pop_back();
    EXPECT_EQ(reduce(executor::cpu{1}, list, views, outputs).code(), status_code::mismatch);
  }
}

}  // namespace
}  // namespace onefold::test
