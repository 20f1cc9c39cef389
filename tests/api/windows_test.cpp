// SPDX-License-Identifier: Apache-2.0
// Windows: however the data are cut, the bits are those of the whole.
#include "onefold/windows.hpp"

#include <gtest/gtest.h>

#include "onefold/onefold.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/fast_model.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

const options fast = {.accuracy = accuracy::fast};

template <class T>
std::vector<T> make_array(random_source& random, std::size_t n) {
  std::vector<T> x(n);
  for (T& element : x) element = any_of_exponent<T>(random, random.between(-12, 12));
  return x;
}

/// Lengths that add up to n; all but the last are multiples of `unit`.
std::vector<std::size_t> random_cut(random_source& random, std::size_t n, std::size_t unit) {
  std::vector<std::size_t> pieces;
  while (n > 0) {
    const std::size_t most = n / unit;
    std::size_t piece =
        random.one_in(4) ? n : unit * random.below(std::min<std::size_t>(most, 3) + 1);
    if (most == 0) piece = n;
    pieces.push_back(piece);
    n -= piece;
  }
  return pieces;
}

template <class T>
void add_pieces(windows& to, const std::vector<T>& x, const std::vector<std::size_t>& cut) {
  std::size_t first = 0;
  for (const std::size_t piece : cut) {
    const auto done = to.add(array_view(x.data() + first, piece));
    ASSERT_TRUE(done.ok()) << done.message();
    first += piece;
  }
  EXPECT_EQ(to.count(), std::int64_t(x.size()));
}

std::string text_of(const std::vector<std::size_t>& cut) {
  std::string text = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", pieces of";
  for (const std::size_t piece : cut) text.append(" ").append(std::to_string(piece));
  return text;
}

template <class T>
void try_fast() {
  for (std::uint64_t k = 0; k < 24; ++k) {
    random_source random = source_of(800 + sizeof(T), k);
    const auto x =
        make_array<T>(random, 65536 * random.below(7) + (k % 3 ? random.below(65536) : 0));
    const auto expected = try_reduce<T>(executor::cpu{1}, op::sum, x, fast).value();
    const float as_float = try_reduce<float>(executor::cpu{1}, op::sum, x, fast).value();
    oracle<typename fast_model<T>::accumulator> model;
    const auto sum = fast_model<T>::sum(x);
    model.add(&sum, 1);
    EXPECT_EQ(hex(as_bits(expected)), hex(model.template value<T>()));
    on_each_target([&](const std::string& target) {
      const auto cut = random_cut(random, x.size(), std::size_t(window_items));
      windows pieces(executor::cpu{thread_counts[k % 4]}, op::sum, dtype_of<T>, fast);
      add_pieces(pieces, x, cut);
      T value{};
      float narrow = 0;
      ASSERT_TRUE(pieces.write(value) && pieces.write(narrow));
      EXPECT_EQ(hex(as_bits(value)), hex(as_bits(expected))) << text_of(cut) << ", " << target;
      EXPECT_EQ(hex(as_bits(narrow)), hex(as_bits(as_float))) << text_of(cut) << ", " << target;
    });
  }
}

TEST(windows, of_a_fast_sum_give_the_bits_of_the_whole) {
  try_fast<double>();
  try_fast<float>();
  try_fast<bf16>();
  try_fast<f16>();
}

template <class T>
void try_exact() {
  for (std::uint64_t k = 0; k < 24; ++k) {
    random_source random = source_of(900 + sizeof(T), k);
    const auto x = make_array<T>(random, random.below(200'000));
    oracle<T> expected;
    expected.add(x.data(), std::int64_t(x.size()));
    const auto cut = random_cut(random, x.size(), 1 + random.below(9000));
    windows pieces(executor::cpu{thread_counts[k % 4]}, op::sum, dtype_of<T>);
    add_pieces(pieces, x, cut);
    T value{};
    ASSERT_TRUE(pieces.write(value));
    EXPECT_EQ(hex(as_bits(value)), hex(expected.value())) << text_of(cut);
    EXPECT_EQ(pieces.partial().value().bytes(), partial(op::sum, x).bytes()) << text_of(cut);
  }
}

TEST(windows, of_an_exact_sum_give_the_state_of_the_whole_for_any_cut) {
  try_exact<double>();
  try_exact<float>();
  try_exact<bf16>();
  try_exact<f16>();
}

TEST(windows, of_integers_give_the_sum_of_the_whole) {
  std::vector<std::int32_t> x(150'000);
  std::int64_t sum = 0;
  random_source random = source_of(950, 0);
  for (auto& element : x) element = std::int32_t(random()), sum += element;
  for (const auto& how : {options{}, fast}) {
    windows pieces(executor{}, op::sum, dtype::i32, how);
    add_pieces(pieces, x, {65536, 65536, 150'000 - 2 * 65536});
    std::int64_t value = 0;
    ASSERT_TRUE(pieces.write(value));
    EXPECT_EQ(value, sum);
  }
}

TEST(windows, of_a_fast_sum_refuse_a_piece_after_one_that_was_no_multiple) {
  const std::vector<float> x(65536 + 3, 1.0f);
  windows pieces(executor{}, op::sum, dtype::f32, fast);
  ASSERT_TRUE(pieces.add(array_view(x.data(), 65536)));
  ASSERT_TRUE(pieces.add(array_view(x.data(), 65536 + 3)));
  const auto refused = pieces.add(array_view(x.data(), 1));
  EXPECT_EQ(refused.code(), status_code::mismatch);
  EXPECT_NE(refused.message().find("65536"), std::string::npos) << refused.message();
  EXPECT_EQ(pieces.count(), 2 * 65536 + 3);
  float value = 0;
  EXPECT_TRUE(pieces.write(value));
  EXPECT_EQ(value, 2 * 65536 + 3.0f);
}

TEST(windows, refuse_pieces_of_another_type_and_extents_below_zero) {
  const std::vector<float> x(10, 1.0f);
  for (const auto& how : {options{}, fast}) {
    windows pieces(executor{}, op::sum, dtype::f64, how);
    EXPECT_EQ(pieces.add(x).code(), status_code::mismatch);
    EXPECT_EQ(pieces.add(array_view(x.data(), dtype::f64, {{-1, 8}})).code(),
              status_code::mismatch);
    EXPECT_EQ(pieces.count(), 0);
    double value = 1;
    EXPECT_TRUE(pieces.write(value));
    EXPECT_EQ(as_bits(value), 0u);
  }
}

TEST(windows, take_nothing_of_a_piece_that_fails) {
  const std::vector<float> x(3 * 65536, 1.0f);
  const array_view piece(x.data(), std::int64_t(x.size()));
  for (const auto accuracy : {accuracy::exact, accuracy::fast}) {
    std::stop_source stop;
    options how{.accuracy = accuracy, .stop = stop.get_token()};
    bool stopping = false;
    how.progress = [&](std::int64_t, std::int64_t) {
      if (stopping) stop.request_stop();
    };
    windows pieces(executor::cpu{1}, op::sum, dtype::f32, how);
    ASSERT_TRUE(pieces.add(piece).ok());
    stopping = true;
    EXPECT_EQ(pieces.add(piece).code(), status_code::cancelled);
    EXPECT_EQ(pieces.count(), std::int64_t(x.size()));
    float value = 0;
    ASSERT_TRUE(pieces.write(value).ok());
    EXPECT_EQ(value, float(x.size()));
  }
}

TEST(windows, refuse_an_output_that_is_not_contiguous) {
  const std::vector<double> x = {3, 1, 2};
  windows pieces(executor{}, {op::minmax, op::sum}, dtype::f64);
  ASSERT_TRUE(pieces.add(x).ok());
  double to[4] = {-1, -1, -1, -1};
  const auto code = [&](op which, const axis_list& axes) {
    return pieces.write(which, {to, dtype::f64, axes}).code();
  };
  EXPECT_EQ(code(op::minmax, {{2, 16}}), status_code::mismatch);
  EXPECT_EQ(code(op::minmax, {{3, 8}}), status_code::mismatch);
  EXPECT_EQ(code(op::minmax, {{1, 8}, {2, 8}}), status_code::mismatch);
  EXPECT_EQ(code(op::sum, {{2, 8}}), status_code::mismatch);
  EXPECT_EQ(to[0], -1);
  EXPECT_EQ(code(op::minmax, {{2, 8}}), status_code::ok);
  EXPECT_EQ((std::vector<double>{to[0], to[1], to[2]}), (std::vector<double>{1, 3, -1}));
  EXPECT_EQ(code(op::sum, {{1, 8}}), status_code::ok);
  EXPECT_EQ(to[0], 6);
}

TEST(windows, of_two_arrays_have_their_dot_product) {
  random_source random = source_of(2403, 0);
  const auto x = make_array<double>(random, 150'000);
  const auto y = make_array<float>(random, x.size());
  const double wanted = dot(x, y);
  for (std::uint64_t k = 0; k < 5; ++k) {
    const auto cut = random_cut(random, x.size(), 1);
    windows pieces(executor{}, op::dot, dtype::f64);
    std::size_t first = 0;
    for (const std::size_t n : cut) {
      const auto done =
          pieces.add({array_view(x.data() + first, n), array_view(y.data() + first, n)});
      ASSERT_TRUE(done.ok()) << done.message();
      first += n;
    }
    double value = 0;
    ASSERT_TRUE(pieces.write(value).ok());
    EXPECT_EQ(as_bits(value), as_bits(wanted)) << text_of(cut);
    EXPECT_EQ(pieces.partial().value().bytes(), partial(op::dot, {x, y}).bytes());
  }
  windows pieces(executor{}, op::dot, dtype::f64);
  EXPECT_EQ(pieces.add(x).code(), status_code::mismatch);
  EXPECT_EQ(pieces.add({y, y}).code(), status_code::mismatch);
  EXPECT_EQ(pieces.add({x, array_view(y.data(), 3)}).code(), status_code::mismatch);
  EXPECT_EQ(pieces.add({}).code(), status_code::mismatch);
  EXPECT_EQ(pieces.count(), 0);
}

TEST(windows, of_a_fast_sum_have_no_state) {
  const windows pieces(executor{}, op::sum, dtype::f64, fast);
  EXPECT_EQ(pieces.partial().why().code(), status_code::unsupported);
}

}  // namespace
}  // namespace onefold::test
