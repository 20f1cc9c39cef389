// SPDX-License-Identifier: Apache-2.0
// Products of chunks under the executor: the bits of the CPU's engine.

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "cpu/tasks/tasks.hpp"
#include "cuda/kernels/whole/products/chunk_words.hpp"
#include "cuda/kernels/whole/products/kernels.hpp"
#include "runtime/float_environment.hpp"
#include "simt/device.hpp"
#include "support/elements.hpp"

namespace onefold::test {
namespace {

using onefold::accumulator;

constexpr accumulator all_families[] = {accumulator::product};
struct shape {
  unsigned blocks = 1;
  int offset = 0;
  simt::schedule order = simt::schedule::forward;
};

template <class T>
const T* placed(simt::device& gpu, const std::vector<T>& values, int offset, const char* name) {
  std::vector<T> padded(static_cast<std::size_t>(offset));
  padded.insert(padded.end(), values.begin(), values.end());
  return gpu.memory().copy(std::span<const T>(padded), name) + offset;
}

template <class T>
chunk_word_list run(accumulator kind, const std::vector<T>& x, const shape& as) {
  const ordered_kernel kernel = ordered_kernel_of(kind, dtype_of<T>);
  simt::device gpu;
  const T* const on_x = placed(gpu, x, as.offset, "x");
  const std::size_t words = chunks_of(x.size()) * std::size_t(kernel.words);
  auto* const parts = gpu.memory().allocate<std::int64_t>(words, "parts");
  kernel.launch(gpu, {.grid = {as.blocks}, .order = as.order}, on_x, std::int64_t(x.size()), parts);
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text();
  for (std::size_t at = 0; at < words; at += std::size_t(kernel.words))
    make_comparable(kind, std::is_integral_v<T>, parts + at);
  return {parts, parts + words};
}

template <class T>
bool check(accumulator kind, const std::vector<T>& x, const shape& as, const std::string& where) {
  const auto got = run(kind, x, as), wanted = expected_words(kind, x);
  EXPECT_EQ(got, wanted) << "ONEFOLD_TEST_SEED=" << seed() << ": family " << int(kind) << " of "
                         << name(dtype_of<T>) << ", " << where << ", n = " << x.size() << ", grid "
                         << as.blocks << ", offset " << as.offset;
  return got == wanted && !testing::Test::HasFailure();
}

constexpr int kinds = 5;

// Numbers of one binade, of many, far from zero, all equal, any bits.
template <class T>
T make_element(random_source& random, int kind, T first) {
  if (kind == 3) return first;
  if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    if (kind == 4) return random.one_in(2) ? limits::min() : limits::max();
    return T(kind == 0 ? random.below(100) : random());
  } else {
    if (kind == 0) return any_of_exponent<T>(random, -1);
    if (kind == 1) return any_of_exponent<T>(random, random.between(-9, 9));
    if (kind == 2) return make<T>(false, 4, bits_of<T>(random()));
    return as_float<T>(bits_of<T>(random()));
  }
}

template <class T>
std::vector<T> make_array(random_source& random, int kind, std::size_t n) {
  std::vector<T> x(n);
  const T first = make_element<T>(random, 1, T());
  for (T& each : x) each = make_element<T>(random, kind, first);
  return x;
}

template <class T>
class cuda_chunks : public testing::Test {};
using all_types = testing::Types<double, float, bf16, f16, std::int8_t, std::uint16_t, std::int32_t,
                                 std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_chunks, all_types);

TYPED_TEST(cuda_chunks, have_the_bits_of_the_cpu_at_every_length) {
  using T = TypeParam;
  const std::size_t stage = 16384 / sizeof(T);
  std::uint64_t index = 0;
  for (const accumulator each : all_families)
    for (const std::size_t n :
         {std::size_t(1), std::size_t(2), std::size_t(63), std::size_t(64), std::size_t(65),
          std::size_t(2047), std::size_t(2048), std::size_t(2049), stage - 1, stage, stage + 1,
          2 * stage + 700, chunk_items - 1, chunk_items, chunk_items + 1}) {
      random_source random = source_of(320, ++index);
      const int kind = random.between(0, kinds - 1);
      const auto x = make_array<T>(random, kind, n);
      if (!check(each, x, {1}, "kind " + std::to_string(kind))) return;
    }
}

TYPED_TEST(cuda_chunks, have_the_bits_of_the_cpu_at_every_offset) {
  using T = TypeParam;
  const std::size_t stage = 16384 / sizeof(T);
  std::uint64_t index = 0;
  for (const accumulator kind : all_families)
    for (int offset = 0; offset < int(16 / sizeof(T)); ++offset) {
      random_source random = source_of(321, ++index);
      const auto n = std::size_t(random.between(int(stage) - 30, 4 * int(stage)));
      const auto x = make_array<T>(random, 1, n);
      if (!check(kind, x, {1, offset}, "offsets")) return;
    }
}

TYPED_TEST(cuda_chunks, are_shared_out_on_any_grid) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const accumulator kind : all_families) {
    random_source random = source_of(322, ++index);
    const auto n = 2 * chunk_items + random.below(chunk_items);
    const auto x = make_array<T>(random, 1, n);
    const auto order = random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse;
    if (!check(kind, x, {unsigned(random.between(1, 4)), 1, order}, "grids")) return;
  }
}

TYPED_TEST(cuda_chunks, have_the_bits_of_the_cpu_for_every_kind) {
  using T = TypeParam;
  for (const accumulator each : all_families)
    for (int kind = 0; kind < kinds; ++kind)
      for (std::uint64_t k = 0; k < 3; ++k) {
        random_source random = source_of(323 + std::uint64_t(each), 10 * k + std::uint64_t(kind));
        const std::size_t n = 64 + random.below(6000);
        const auto x = make_array<T>(random, kind, n);
        if (!check(each, x, {1}, "kind " + std::to_string(kind))) return;
      }
}

// Few factors that are not one: the magnitude about 2^64, signs, zeros, and the product modulo
// 2^64.
TYPED_TEST(cuda_chunks, of_integers_have_right_products_about_their_limits) {
  using T = TypeParam;
  if constexpr (std::is_integral_v<T>)
    for (std::uint64_t k = 0; k < 60; ++k) {
      random_source random = source_of(330, k);
      std::vector<T> x(300 + random.below(300), T(1));
      const int twos = random.between(60, 66);
      for (int i = 0; i < twos; ++i) x[std::size_t(i) * 4] = T(random.one_in(2) ? 2 : -2);
      if (random.one_in(3)) x[random.below(x.size())] = T(random.below(2));
      if (!check(accumulator::product, x, {1}, "about 2^64")) return;
    }
}

// Any byte but 0 is 1.
TEST(cuda_boolean_chunks, have_the_bits_of_the_cpu) {
  for (const accumulator kind : {accumulator::product})
    for (std::uint64_t k = 0; k < 6; ++k) {
      random_source random = source_of(335 + std::uint64_t(kind), k);
      std::vector<std::uint8_t> x(1 + random.below(k == 0 ? 70'000 : 6000));
      const bool zeros = random.one_in(2);
      for (auto& byte : x) byte = std::uint8_t(random.between(zeros ? -99 : 1, 255) & 255);
      if (zeros) x[random.below(x.size())] = 0;
      simt::device gpu;
      const ordered_kernel kernel = ordered_kernel_of(kind, dtype::boolean);
      const auto* const there = placed(gpu, x, random.between(0, 15), "x");
      const std::size_t words = chunks_of(x.size()) * std::size_t(kernel.words);
      auto* const parts = gpu.memory().allocate<std::int64_t>(words, "parts");
      kernel.launch(gpu, {.grid = {2}}, there, std::int64_t(x.size()), parts);
      EXPECT_TRUE(gpu.report().empty());
      chunk_word_list wanted;
      for (std::size_t first = 0; first < x.size(); first += chunk_items) {
        make_comparable(kind, true, parts + wanted.size());
        const auto n = std::int64_t(std::min(chunk_items, x.size() - first));
        const float_environment sound;
        const auto task = cpu::make_ordered_task(kind, dtype::boolean, accuracy::exact);
        const auto part = words_of_part(task->take({&x[first], nullptr, n, 0}));
        wanted.insert(wanted.end(), part.begin(), part.end());
      }
      ASSERT_EQ(chunk_word_list(parts, parts + words), wanted)
          << "ONEFOLD_TEST_SEED=" << seed() << ": family " << int(kind) << ", " << k;
    }
}

template <class T>
class cuda_floating_chunks : public testing::Test {};
using floating_types = testing::Types<double, float, bf16, f16>;
TYPED_TEST_SUITE(cuda_floating_chunks, floating_types);

TYPED_TEST(cuda_floating_chunks, treat_specials_as_the_cpu_does) {
  using format = ieee<TypeParam>;
  const auto of_bits = [](std::uint64_t bits) {
    return as_float<TypeParam>(bits_of<TypeParam>(bits));
  };
  const TypeParam minus_zero = make<TypeParam>(true, -format::bias, 0);
  const TypeParam nan = of_bits(format::nan), infinity = of_bits(format::infinity);
  const TypeParam specials[] = {
      minus_zero, negated(minus_zero),        nan, infinity, negated(infinity),
      of_bits(1), of_bits(format::hidden - 1)};
  for (const accumulator kind : all_families)
    for (const TypeParam special : specials) {
      random_source random = source_of(340, std::uint64_t(kind));
      const std::size_t n = 2200 + random.below(2000);
      auto x = make_array<TypeParam>(random, 0, n);
      for (const std::size_t at : {std::size_t(0), n / 2, n - 1}) {
        x = make_array<TypeParam>(random, 0, n), x[at] = special;
        if (!check(kind, x, {1}, "one special")) return;
      }
      for (int k = 0; k < 40; ++k) x[random.below(n)] = specials[random.below(std::size(specials))];
      if (!check(kind, x, {1}, "many")) return;
      if (!check(kind, std::vector<TypeParam>(n, special), {1}, "nothing else")) return;
    }
}

}  // namespace
}  // namespace onefold::test
