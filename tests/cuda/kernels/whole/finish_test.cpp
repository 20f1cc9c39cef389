// SPDX-License-Identifier: Apache-2.0
// The finish on a device under the executor: of every state, operator and output type the bits and
// the code of the host's finish.
#include "rounding/round_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "cuda/kernels/whole/finish_kernels.hpp"
#include "onefold/exact.hpp"
#include "simt/device.hpp"
#include "state/states.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;

constexpr accumulator families[] = {
    accumulator::total,   accumulator::magnitudes, accumulator::squares, accumulator::products,
    accumulator::moments, accumulator::extrema,    accumulator::counts,  accumulator::bits};

bool serves(accumulator kind, op op) {
  const accumulator own = accumulator_of(op);
  return own == kind || (kind == accumulator::moments &&
                         (own == accumulator::total || own == accumulator::squares));
}

template <class T>
T of_bits(std::uint64_t bits) {
  T made;
  std::memcpy(static_cast<void*>(&made), &bits, sizeof made);
  return made;
}

// Elements whose sums tie, overflow, cancel, vanish or are no numbers.
template <class T>
std::vector<std::vector<T>> hard_lists() {
  if constexpr (std::is_integral_v<T>) {
    const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return {{},
            {0},
            {1},
            {least},
            {most},
            {most, most, most},
            {least, least, 1},
            {least, most},
            {T(-1), T(3)},
            {T(0x5A), T(0x3C)}};
  } else {
    using format = detail::float_format<T>;
    const auto bits = [](std::uint64_t b) { return of_bits<T>(b); };
    const std::uint64_t sign = format::sign_bit, one = std::uint64_t(format::max_exponent)
                                                       << format::fraction_bits;
    const std::uint64_t half_ulp =
        one - (std::uint64_t(format::precision) << format::fraction_bits);
    const T infinity = bits(format::infinity), largest = bits(format::infinity - 1),
            nan = bits(format::quiet_nan | sign | 1), tiny = bits(1);
    return {{},
            {bits(0)},
            {bits(sign)},
            {bits(sign), bits(sign)},
            {bits(0), bits(sign)},
            {nan},
            {nan, bits(one), bits(sign | one)},
            {nan, nan},
            {infinity, bits(one)},
            {bits(format::infinity | sign), bits(0)},
            {infinity, bits(format::infinity | sign)},
            {infinity, bits(0), nan},
            {largest, largest},
            {bits((format::infinity - 1) | sign), bits((format::infinity - 1) | sign)},
            {tiny},
            {tiny, bits(0), bits(0)},
            {bits(one), bits(half_ulp)},
            {bits(one), bits(half_ulp), tiny},
            {bits(one | 1), bits(half_ulp)},
            {bits(one | sign), bits(half_ulp | sign), bits(1 | sign)},
            {largest, bits((format::infinity - 1) | sign), tiny}};
  }
}

template <class T>
std::vector<std::vector<T>> lists_of(random_source& random) {
  auto lists = hard_lists<T>();
  for (int k = 0; k < 12; ++k) {
    std::vector<T> some(random.below(6) + 1);
    for (T& each : some) each = of_bits<T>(random());
    if (k % 2 == 0 && sizeof(T) > 1)  // alike, so that they add up
      for (T& each : some) each = of_bits<T>(random() >> 12 & 0xFFF);
    lists.push_back(some);
  }
  return lists;
}

template <class T>
T magnitude_of(T x) {
  if constexpr (std::is_integral_v<T>)
    return x;  // the states of magnitudes are those of sums
  else
    return of_bits<T>(detail::to_bits(x) & ~detail::float_format<T>::sign_bit);
}

template <class T>
any_state state_of(accumulator kind, dtype input, const std::vector<T>& x) {
  any_state made = empty_state(kind, input);
  exact_sum<T> sum, magnitudes;
  exact_dot<T> squares, products;
  exact_moments<T> moments;
  detail::extrema ends;
  detail::nonzero_counts counts;
  detail::bit_fold bits;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.add(x[i]), magnitudes.add(magnitude_of(x[i])), squares.add(x[i], x[i]);
    products.add(x[i], x[x.size() - 1 - i]), moments.add(x[i]);
    ends.add(x[i], std::int64_t(i)), counts.add(x[i]);
    if constexpr (std::is_integral_v<T>) bits.add(x[i]);
  }
  switch (kind) {
  case accumulator::total:
    return sum;
  case accumulator::magnitudes:
    return magnitudes;
  case accumulator::squares:
    return squares;
  case accumulator::products:
    return products;
  case accumulator::moments:
    return moments;
  case accumulator::extrema:
    return ends;
  case accumulator::counts:
    return counts;
  default:
    return bits;
  }
}

std::vector<std::int64_t> words_of(const any_state& from) {
  std::vector<std::int64_t> words;
  std::visit([&](const auto& known) { known.for_each_word([&](auto w) { words.push_back(w); }); },
             from);
  return words;
}

struct answer_bytes {
  unsigned char bytes[16];
};

struct trial {
  accumulator kind;
  dtype input;
  rounding_context how;
  unsigned threads;
};

std::string text_of(const trial& as, op op, dtype output) {
  return std::string(name(op)) + " of " + std::string(name(as.input)) + " to " +
         std::string(name(output)) + ", nan policy " + std::to_string(int(as.how.nan)) +
         ", correction " + std::to_string(as.how.correction);
}

/// A device with room for a state, six answers and a status, for one launch after another.
class finisher {
 public:
  /// One launch for up to six answers.
  void expect_host_answers(const trial& as, const any_state& state,
                           const std::vector<finish_item>& items) {
    const auto words = words_of(state);
    std::fill_n(places_, finish_list::most, blank);
    *status_ = -1;
    finish_list list;
    list.nan = as.how.nan, list.correction = std::int64_t(as.how.correction);
    list.is_first = true, list.status = status_;
    for (const finish_item& each : items) {
      list.answers[list.size] = each;
      list.answers[list.size].to = places_ + list.size;
      ++list.size;
    }
    const finish_kernel kernel = as.kind < accumulator::extrema
                                     ? sums_finish(as.kind, as.input)
                                     : selection_finish(as.kind, as.input);
    kernel(gpu_, {.grid = {1}, .block = {as.threads}},
           gpu_.memory().copy(std::span<const std::int64_t>(words), "words"), list);
    for (const simt::finding& f : gpu_.report())
      if (aggregate_stores_are_seen() || f.text().find("uninitialised") != 0)
        ADD_FAILURE() << f.text();
    compare(as, state, items);
  }

 private:
  static constexpr answer_bytes blank = {{0xA5, 0xA5, 0xA5}};

  void compare(const trial& as, const any_state& state, const std::vector<finish_item>& items) {
    auto first = status_code::ok;
    for (std::size_t i = 0; i < items.size(); ++i) {
      answer_bytes wanted = blank;
      const auto done = round_state(items[i].op, state, as.how, wanted.bytes, items[i].type);
      if (first == status_code::ok) first = done.code();
      ASSERT_EQ(std::memcmp(&wanted, places_ + i, sizeof wanted), 0)
          << text_of(as, items[i].op, items[i].type)
          << ", ONEFOLD_TEST_SEED=" << onefold::test::seed();
    }
    ASSERT_EQ(*status_, int(first)) << text_of(as, items[0].op, items[0].type);
  }

  simt::device gpu_;
  answer_bytes* places_ = gpu_.memory().allocate<answer_bytes>(finish_list::most, "answers");
  std::int32_t* status_ = gpu_.memory().allocate<std::int32_t>(1, "status");
};

/// Every operator to every type of output.
void expect_all_answers(finisher& on, const trial& as, const any_state& state) {
  std::vector<finish_item> items;
  const auto run = [&] {
    if (!items.empty()) on.expect_host_answers(as, state, items);
    items.clear();
  };
  for (const op op : all_ops)
    for (const dtype output : all_dtypes) {
      if (serves(as.kind, op)) items.push_back({nullptr, op, output});
      if (items.size() == finish_list::most) run();
      if (testing::Test::HasFatalFailure()) return;
    }
  run();
}

template <class T>
void expect_finishes(dtype input) {
  random_source random = source_of(31, std::uint64_t(input));
  finisher on;
  for (const auto& list : lists_of<T>(random))
    for (const accumulator kind : families) {
      if (kind == accumulator::bits && is_floating(input)) continue;
      const any_state state = state_of<T>(kind, input, list);
      if (input == dtype::f64 && random.one_in(2)) continue;  // long states take long
      const auto nan = nan_policy(random.below(3));
      const unsigned threads = random.one_in(4) ? 512 : 32;
      expect_all_answers(on, {kind, input, {input, nan, double(random.between(0, 2))}, threads},
                         state);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(cuda_finish, floating_states) {
  expect_finishes<float>(dtype::f32), expect_finishes<bf16>(dtype::bf16);
  expect_finishes<f16>(dtype::f16);
}

TEST(cuda_finish, long_states) {
  expect_finishes<double>(dtype::f64);
}

TEST(cuda_finish, integer_states) {
  expect_finishes<std::int8_t>(dtype::i8), expect_finishes<std::int32_t>(dtype::i32);
  expect_finishes<std::int64_t>(dtype::i64), expect_finishes<std::uint16_t>(dtype::u16);
  expect_finishes<std::uint64_t>(dtype::u64);
}

// Every NaN policy, of lists that have NaNs alone, among others, and none.
TEST(cuda_finish, every_policy) {
  const float nan = of_bits<float>(0xFFC00001);
  finisher on;
  for (const std::vector<float>& list :
       {std::vector<float>{nan, nan}, {nan, -1, 3}, {2.5F, -0.0F}, {}})
    for (const nan_policy policy : {nan_policy::propagate, nan_policy::omit, nan_policy::error})
      for (const accumulator kind : families)
        if (kind != accumulator::bits)
          expect_all_answers(on, {kind, dtype::f32, {dtype::f32, policy, 1}, 64},
                             state_of<float>(kind, dtype::f32, list));
}

TEST(cuda_finish, positions_count_from_the_first_index) {
  const any_state ends = state_of<double>(accumulator::extrema, dtype::f64, {3, -1, 7, -1});
  simt::device gpu;
  const std::int64_t blank[2] = {};
  auto* const places = gpu.memory().copy(std::span<const std::int64_t>(blank), "answers");
  finish_list list;
  list.size = 2, list.first_index = 1000;
  list.answers[0] = {places, op::argmin, dtype::i64};
  list.answers[1] = {places + 1, op::argmax, dtype::i64};
  const auto words = words_of(ends);
  selection_finish(accumulator::extrema, dtype::f64)(
      gpu, {.grid = {1}, .block = {32}},
      gpu.memory().copy(std::span<const std::int64_t>(words), "words"), list);
  EXPECT_EQ(places[0], 1001);
  EXPECT_EQ(places[1], 1002);
}

// The first launch sets the status, later ones keep what was told before.
TEST(cuda_finish, a_status_is_kept_by_later_launches) {
  simt::device gpu;
  const auto words = words_of(state_of<float>(accumulator::extrema, dtype::f32, {}));
  const auto fine = words_of(state_of<float>(accumulator::extrema, dtype::f32, {1}));
  const float blank = 0;
  const std::int32_t before = 99;
  finish_list list;
  list.size = 1, list.is_first = true;
  list.answers[0] = {gpu.memory().copy(std::span<const float>(&blank, 1), "answer"), op::max,
                     dtype::f32};
  list.status = gpu.memory().copy(std::span<const std::int32_t>(&before, 1), "status");
  const auto run = [&](const std::vector<std::int64_t>& elements) {
    selection_finish(accumulator::extrema, dtype::f32)(
        gpu, {.grid = {1}, .block = {32}},
        gpu.memory().copy(std::span<const std::int64_t>(elements), "words"), list);
    return *list.status;
  };
  EXPECT_EQ(run(fine), 0);
  EXPECT_EQ(run(words), int(status_code::empty));
  list.is_first = false;
  EXPECT_EQ(run(fine), int(status_code::empty));
}

}  // namespace
}  // namespace onefold::cuda::test
