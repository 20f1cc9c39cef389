// SPDX-License-Identifier: Apache-2.0
// Logarithms of sums of exponentials of columns, in one chunk and in several, under the executor.
#include "cuda/nested/ordered/log_columns.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cuda/nested/finish_trial.hpp"
#include "cuda/nested/kernels.hpp"
#include "state/exponential_terms.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::chopped;
using onefold::test::source_of;

// About zero or far from it, near each other or not, drifting up or down; a few that are no number,
// or the same; chunks of -Inf alone.
template <class T>
void fill_exponents(random_source& random, std::vector<std::byte>& to, std::int64_t row) {
  using format = detail::float_format<T>;
  const double centre = random.one_in(2) ? 0 : random.normal() * 200;
  const double width = random.one_in(3) ? 0 : random.one_in(2) ? 1 : 40;
  const double drift = random.one_in(2) ? 0 : random.normal() * 3;
  const bool specials = random.one_in(5), low = random.one_in(4), any = random.one_in(8);
  const auto end = std::int64_t(to.size() / sizeof(T));
  for (std::int64_t i = 0; i < end; ++i) {
    const auto r = double(i * std::int64_t(sizeof(T)) / row);
    T item = chopped<T>(centre + drift * r + width * random.normal());
    auto bits = detail::to_bits(item);
    if (any) bits = decltype(bits)(random());
    if (low && r < 40) bits = format::infinity | format::sign_bit;
    if (specials && random.one_in(300))
      bits = decltype(bits)(format::infinity | (random.one_in(3) ? 1 : 0) |
                            (random.one_in(2) ? format::sign_bit : 0));
    if (random.one_in(50)) bits = random.one_in(2) ? decltype(bits)(format::sign_bit) : 1;
    std::memcpy(to.data() + i * std::int64_t(sizeof(T)), &bits, sizeof(T));
  }
}

// Of x[outer][n][inner], or with rows further apart; or of x[outer][inner][n].
TEST(log_columns, write_the_answers_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(150, 75)) && !testing::Test::HasFailure();
       ++k) {
    random_source random = source_of(3720, k);
    nested_request of;
    of.of = accumulator::log_sum, of.input = floats[k % 3], of.shape = order::chunks;
    of.x_kind = of.y_kind = kind_of(of.input);
    const auto width = std::int64_t(size_bytes(of.input));
    of.items = random.one_in(3) ? random.between(100, 700) : random.between(1, 40);
    of.piece_items = random.one_in(3) ? of.items : random.between(1, of.items);
    of.pieces = (of.items - 1) / of.piece_items + 1;
    const std::int64_t outer = random.between(1, 3);
    const std::int64_t inner = random.between(1, of.items < 100 ? 70 : 9);
    const std::int64_t row = (inner + (random.one_in(2) ? random.between(0, 3) : 0)) * width;
    of.outputs = outer * inner, of.axes.kept = 2, of.axes.all = 3, of.aligned = true;
    of.axes.axis[0] = {outer, of.items * row, 0, 0}, of.axes.axis[1] = {inner, width, 0, 0};
    of.axes.axis[2] = {of.items, row, 0, 0};
    const bool are_rows = inner > 1 && random.one_in(3);
    if (are_rows) of.axes.axis[1].x_bytes = of.items * width, of.axes.axis[2].x_bytes = width;
    std::vector<std::byte> x(std::size_t(outer * of.items * row));
    with_type(of.input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) fill_exponents<T>(random, x, row);
    });
    simt::device gpu;
    of.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    const std::int64_t parts = random.between(1, std::min<std::int64_t>(of.piece_items, 9));
    finish_trial trial(random, of, parts, 0);
    if (random.one_in(2)) trial.in_windows();
    trial.check(gpu, some_grid(random),
                place_of(k) + std::to_string(outer) + " x " + std::to_string(of.items) + " x " +
                    std::to_string(inner) + (are_rows ? " rows " : " ") +
                    std::string(name(of.input)) + " in " + std::to_string(parts) +
                    " parts of chunks of " + std::to_string(of.piece_items));
  }
}

// The sum of a chunk's terms, by the operations of the CPU.
std::uint64_t sum_of_terms(const std::vector<float>& x, const exponential::term_scale& scale) {
  std::uint64_t sum = 0;
  for (const float each : x)
    if (each >= scale.least) sum += exponential::scaled_term(each, scale, exponential::term_powers);
  return sum;
}

// Elements up to ten binades above the guess: at most 2^16, all of them the largest one, or below
// it by little or much.
TEST(term_window, holds_the_sums_of_the_binades_above_a_guess) {
  int seen[window_reach + 2] = {};
  for (std::uint64_t k = 0; k < std::uint64_t(cases(400, 200)); ++k) {
    random_source random = source_of(3730, k);
    const auto guess = float(random.unit() * 240 - 120);
    const float top = std::min(128.0F, guess + float(random.unit() * 7));
    std::vector<float> x(std::size_t(random.one_in(8) ? 65'536 : random.between(1, 3000)), top);
    const double below = random.one_in(3) ? 0 : random.one_in(2) ? 1 : 60;
    for (float& each : x) each = std::min(top, top - float(random.unit() * below));
    x[random.below(x.size())] = top;
    const auto scale = exponential::scale_of(top);
    const int binades = scale.exponent - exponential::scale_of(guess).exponent;
    const int place = place_in_window(guess, top);
    ASSERT_EQ(place, binades <= window_reach ? binades : -1) << guess << " " << top;
    ++seen[place + 1];
    if (place < 0) continue;
    ASSERT_EQ(window_sums(guess, x)[std::size_t(place)], sum_of_terms(x, scale))
        << place_of(k) << x.size() << " elements up to " << top << " above " << guess;
  }
  for (const int each : seen) EXPECT_GT(each, 0);
}

// Sums from 2^64 on, of which what is subtracted is larger than the lower word.
TEST(term_window, carries_and_borrows) {
  constexpr std::uint64_t most = (std::uint64_t(1) << 56) - 1;
  for (const std::uint64_t rest : {0, 1, 255, 256, 300, 65'000, 70'000}) {
    std::vector<std::uint64_t> terms(256, most);
    terms.push_back(rest);
    for (int place = 1; place <= window_reach; ++place)
      ASSERT_EQ(window_sums(terms)[std::size_t(place)], 256 * (most >> place) + (rest >> place))
          << rest << " in binade " << place;
  }
}

TEST(term_window, covers_no_origin_and_nothing_that_is_not_finite) {
  EXPECT_EQ(place_in_window(128.0F, 128.0F), 0);
  EXPECT_EQ(place_in_window(127.0F, 129.0F), -1);
  EXPECT_EQ(place_in_window(-129.0F, -127.0F), -1);
  EXPECT_EQ(place_in_window(-INFINITY, 0.0F), -1);
  EXPECT_EQ(place_in_window(0.0F, INFINITY), -1);
  EXPECT_EQ(place_in_window(0.0F, NAN), -1);
  EXPECT_EQ(place_in_window(NAN, 0.0F), -1);
}

}  // namespace
}  // namespace onefold::cuda::test
