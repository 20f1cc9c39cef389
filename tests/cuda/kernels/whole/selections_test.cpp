// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bitwise folds under the executor: every word is that of the CPU's state, and
// nothing is reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cuda/kernels/whole/selection_kernels.hpp"
#include "onefold/detail/bit_fold.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/nonzero_counts.hpp"
#include "rounding/round_state.hpp"
#include "simt/device.hpp"
#include "support/elements.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;
using words = std::vector<std::int64_t>;

constexpr accumulator families[] = {accumulator::extrema, accumulator::counts, accumulator::bits};

template <class State>
words words_of(const State& state) {
  words all;
  state.for_each_word([&](std::int64_t word) { all.push_back(word); });
  return all;
}

template <class T>
words expected(accumulator kind, const std::vector<T>& x, std::size_t n) {
  detail::extrema ends;
  detail::nonzero_counts counts;
  detail::bit_fold bits;
  for (std::size_t i = 0; i < n; ++i) {
    ends.add(x[i], std::int64_t(i)), counts.add(T(x[i]));
    if constexpr (std::is_integral_v<T>) bits.add(T(x[i]));
  }
  if (kind == accumulator::extrema) return words_of(ends);
  return kind == accumulator::counts ? words_of(counts) : words_of(bits);
}

/// A launch: where the elements begin behind a multiple of 16 bytes, and its shape.
struct trial {
  unsigned offset_items = 0, grid = 1, block = 32;
  simt::schedule order = simt::schedule::forward;
  std::optional<std::int64_t> given = {};  ///< the count on the device; none: all elements
};

// The elements as std::vector<bool> would not keep them: any byte but 0 is true.
template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& x, unsigned offset_items) {
  std::vector<unsigned char> bytes((x.size() + offset_items) * sizeof(T));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T element = x[i];
    std::memcpy(&bytes[(i + offset_items) * sizeof(T)], &element, sizeof element);
    if constexpr (std::is_same_v<T, bool>)
      if (element) bytes[i + offset_items] = std::uint8_t(i % 255 + 1);
  }
  return bytes;
}

// The position of the least element; how many are not zero; the xor in the type of the elements.
finish_list one_answer(accumulator kind, dtype input, std::int64_t* to) {
  finish_list list;
  list.size = 1;
  list.answers[0] = {to, op::argmin, dtype::i64};
  if (kind == accumulator::counts) list.answers[0].op = op::count_nonzero;
  if (kind == accumulator::bits)
    list.answers[0] = {to, op::bit_xor, is_unsigned(input) ? dtype::u64 : dtype::i64};
  return list;
}

// A least or largest element alone, in its own type: written without the words of a state.
template <class T>
void expect_ends(const selection_kernel& kernel, simt::device& gpu, const trial& with,
                 const std::vector<T>& x, std::int64_t n, const unsigned char* in, void* workspace,
                 finish_list list, const std::string& where) {
  detail::extrema ends;
  for (std::size_t i = 0; i < std::size_t(n); ++i) ends.add(T(x[i]), std::int64_t(i));
  for (const op op : {op::min, op::max}) {
    std::uint64_t wanted = 0x5A5A5A5A5A5A5A5A;
    auto* const answer = gpu.memory().copy(std::span<const std::uint64_t>(&wanted, 1), "end");
    const rounding_context how = {dtype_of<T>, nan_policy::propagate, 0};
    EXPECT_EQ(round_state(op, ends, how, &wanted, dtype_of<T>).ok(), n > 0) << where;
    list.answers[0] = {answer, op, dtype_of<T>};
    kernel.launch(gpu, {.grid = {with.grid}, .block = {with.block}, .order = with.order},
                  dtype_of<T>, in, std::int64_t(x.size()), workspace, nullptr, list);
    for (const auto& finding : gpu.report()) ADD_FAILURE() << where << ": " << finding.text();
    EXPECT_EQ(*answer, wanted) << where << ": " << name(op);
  }
}

template <class T>
void expect_words(const std::vector<T>& x, const trial& with, const std::string& context) {
  for (const accumulator kind : families) {
    const selection_kernel kernel = selection_kernel_of(kind, dtype_of<T>);
    if (!kernel.launch) continue;
    simt::device gpu;
    const auto bytes = bytes_of(x, with.offset_items);
    const auto* in = gpu.memory().copy(std::span<const unsigned char>(bytes), "x");
    const std::vector<unsigned char> zeros(kernel.workspace_bytes);
    auto* workspace = gpu.memory().copy(std::span<const unsigned char>(zeros), "workspace");
    const auto all = std::int64_t(x.size());
    const std::int64_t n = std::clamp<std::int64_t>(with.given.value_or(all), 0, all);
    const words wanted = expected(kind, x, std::size_t(n));
    auto* out = gpu.memory().allocate<std::int64_t>(wanted.size(), "words");
    const std::int64_t zero = 0;
    auto* answer = gpu.memory().copy(std::span<const std::int64_t>(&zero, 1), "answer");
    finish_list list = one_answer(kind, dtype_of<T>, answer);
    if (with.given)
      list.count = gpu.memory().copy(std::span<const std::int64_t>(&*with.given, 1), "count");
    kernel.launch(gpu, {.grid = {with.grid}, .block = {with.block}, .order = with.order},
                  dtype_of<T>, in + with.offset_items * sizeof(T), all, workspace, out, list);
    const std::string where = context + ", family " + std::to_string(int(kind)) + " of " +
                              std::string(name(dtype_of<T>)) + ", " + std::to_string(n) + " at " +
                              std::to_string(with.offset_items) + ", grid " +
                              std::to_string(with.grid) + " of " + std::to_string(with.block);
    for (const auto& finding : gpu.report()) ADD_FAILURE() << where << ": " << finding.text();
    EXPECT_EQ(words(out, out + wanted.size()), wanted) << where;
    EXPECT_EQ(std::memcmp(workspace, zeros.data(), zeros.size()), 0) << where << ": workspace";
    if (kind == accumulator::extrema) {
      const auto at = n == 0 ? 0 : wanted[1] > 0 ? wanted[2] : wanted[4];
      EXPECT_EQ(*answer, at) << where << ": position";
    } else {
      EXPECT_EQ(*answer, wanted[kind == accumulator::counts ? 1 : 3]) << where << ": answer";
    }
    if (kind == accumulator::extrema)
      expect_ends(kernel, gpu, with, x, n, in + with.offset_items * sizeof(T), workspace, list,
                  where);
    if (with.grid > 1) continue;
    const std::int64_t before = *answer;
    *answer = n == 0 ? before : ~before;
    kernel.launch(gpu, {.grid = {1}, .block = {with.block}, .order = with.order}, dtype_of<T>,
                  in + with.offset_items * sizeof(T), all, nullptr, nullptr, list);
    for (const auto& finding : gpu.report()) ADD_FAILURE() << where << ": " << finding.text();
    EXPECT_EQ(*answer, before) << where << ": answer without memory";
  }
}

template <class T>
T any_bits(random_source& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return random.one_in(2);
  } else {
    const std::uint64_t word = random();
    T x;
    std::memcpy(static_cast<void*>(&x), &word, sizeof x);
    return x;
  }
}

template <class T>
T float_of(std::uint64_t bits) {
  return detail::from_bits<T>(typename detail::float_format<T>::bits(bits));
}

// Elements that meet: few values, both zeros, NaNs of both signs, infinities.
template <class T>
T special(random_source& random) {
  if constexpr (std::is_integral_v<T>) {
    const T few[] = {T(0), T(1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    return few[random.below(4)];
  } else {
    using format = detail::float_format<T>;
    const std::uint64_t few[] = {0,
                                 format::sign_bit,
                                 format::infinity,
                                 format::infinity | format::sign_bit,
                                 format::quiet_nan,
                                 std::uint64_t(format::infinity) + 1,
                                 std::uint64_t(format::quiet_nan) | format::sign_bit,
                                 1,
                                 format::sign_bit | 1u};
    return float_of<T>(few[random.below(std::size(few))]);
  }
}

template <class T>
T zero_of_any_sign(random_source& random) {
  if constexpr (std::is_integral_v<T>)
    return T(0);
  else
    return float_of<T>(random.one_in(2) ? detail::float_format<T>::sign_bit : 0);
}

// No NaN but now and then, and never at both ends of a tile alike.
template <class T>
T finite(random_source& random) {
  const T x = any_bits<T>(random);
  return detail::is_nan(x) && !random.one_in(64) ? zero_of_any_sign<T>(random) : x;
}

template <class T>
std::vector<T> filled(std::size_t n, random_source& random, T (*next)(random_source&)) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = next(random);
  return x;
}

template <class T>
class selections : public testing::Test {};
using types =
    testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, f16, bf16, float, double>;
TYPED_TEST_SUITE(selections, types);

TYPED_TEST(selections, of_nothing_and_of_little) {
  using T = TypeParam;
  random_source random = source_of(1, sizeof(T));
  for (std::size_t n = 0; n <= 2 * 16 / sizeof(T) + 1; ++n)
    for (const unsigned offset : {0u, 1u})
      expect_words<T>(filled<T>(n, random, special<T>), {offset, unsigned(n % 3) + 1, 32}, "few");
}

TYPED_TEST(selections, around_the_edges_of_tiles) {
  using T = TypeParam;
  random_source random = source_of(2, sizeof(T));
  const std::size_t tile = 32 * 4 * 16 / sizeof(T);
  for (const std::size_t n : {tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 3})
    for (const unsigned offset : {0u, 1u, unsigned(16 / sizeof(T)) - 1})
      expect_words<T>(filled<T>(n, random, finite<T>), {offset, unsigned(random.below(7)) + 1, 32},
                      "edges");
}

TYPED_TEST(selections, of_as_many_as_the_count_on_the_device_says) {
  using T = TypeParam;
  random_source random = source_of(6, sizeof(T));
  const std::size_t n = 3 * 32 * 64 / sizeof(T) + 5;
  const auto all = std::int64_t(n);
  for (const std::int64_t given :
       {std::int64_t(0), std::int64_t(1), all / 3, all - 1, all, all + 1, std::int64_t(-3)})
    expect_words<T>(filled<T>(n, random, finite<T>),
                    {unsigned(random.below(3)), 3, 32, simt::schedule::forward, given}, "counted");
}

TYPED_TEST(selections, in_every_shape_of_a_launch) {
  using T = TypeParam;
  random_source random = source_of(3, sizeof(T));
  for (unsigned grid = 1; grid <= 7; grid += 2)
    for (const unsigned block : {32u, 64u, 96u, 128u}) {
      const auto n = std::size_t(random.below(9 * 32 * 64 / sizeof(T)));
      const auto order = simt::schedule(random.below(3));
      expect_words<T>(filled<T>(n, random, finite<T>), {unsigned(n % 5), grid, block, order},
                      "shapes");
    }
}

TYPED_TEST(selections, ties_zeros_and_nans_anywhere) {
  using T = TypeParam;
  random_source random = source_of(4, sizeof(T));
  const std::size_t n = 3 * 32 * 64 / sizeof(T) + 5;
  for (unsigned grid = 1; grid <= 4; ++grid) {
    expect_words<T>(filled<T>(n, random, special<T>), {grid, grid, 32}, "specials");
    expect_words<T>(filled<T>(n, random, zero_of_any_sign<T>), {grid, grid, 32}, "zeros");
    expect_words<T>(std::vector<T>(n, special<T>(random)), {0, grid, 64}, "all alike");
    // One extreme, one zero, one NaN among equal elements, in any tile.
    auto x = std::vector<T>(n, T(any_bits<T>(random)));
    for (int k = 0; k < 3; ++k) x[random.below(n)] = special<T>(random);
    expect_words<T>(x, {0, grid, 32}, "one apart");
    // +0 first, then -0 in a later tile, or the other way round: the first of both is the place.
    auto zeros = std::vector<T>(n, zero_of_any_sign<T>(random));
    zeros[n - 1 - random.below(n / 2)] = zero_of_any_sign<T>(random);
    expect_words<T>(zeros, {0, grid, 32}, "a zero of another sign");
  }
}

TYPED_TEST(selections, one_bit_in_many_elements) {
  using T = TypeParam;
  random_source random = source_of(5, sizeof(T));
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const std::size_t n = 2 * 32 * 64 / sizeof(T) + 3;
    for (unsigned bit = 0; bit < 8 * sizeof(T); bit += 3) {
      std::vector<T> x(n, T(~std::uint64_t(0)));
      x[random.below(n)] = T(~(std::uint64_t(1) << bit));
      expect_words<T>(x, {1, 2, 32}, "all but one bit");
      for (T& each : x) each = T(~each);
      expect_words<T>(x, {1, 2, 32}, "one bit");
    }
  }
}

}  // namespace
}  // namespace onefold::cuda::test
