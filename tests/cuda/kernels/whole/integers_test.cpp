// SPDX-License-Identifier: Apache-2.0
// Exact reductions of whole arrays of integers under the executor: the words are the state's.

#include <limits>

#include "cuda/kernels/whole/whole_runs.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

using onefold::accumulator;

template <class T>
word_list integer_state(accumulator kind, const std::vector<T>& x, const std::vector<T>& y) {
  detail::integer_sum sum;
  detail::integer_dot products;
  for (std::size_t i = 0; i < x.size(); ++i) {
    using wide = std::make_unsigned_t<T>;
    if (kind == accumulator::total) sum.add(x[i]);
    if (kind == accumulator::magnitudes) sum.add(x[i] < T(0) ? wide(-wide(x[i])) : wide(x[i]));
    if (kind == accumulator::squares) products.add(x[i], x[i]);
    if (kind == accumulator::products) products.add(x[i], y[i]);
  }
  const bool one = kind == accumulator::total || kind == accumulator::magnitudes;
  return one ? words_of(sum) : words_of(products);
}

template <class T>
class cuda_exact_integers : public testing::Test {
 public:
  // All bits, the least, the largest, both of them, or small numbers.
  static std::vector<T> elements(random_source& random, std::size_t n, std::uint64_t kind) {
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    std::vector<T> x(n);
    for (T& element : x) {
      element = T(random());
      if (kind == 1) element = least;
      if (kind == 2) element = most;
      if (kind == 3) element = random.one_in(2) ? least : most;
      if (kind == 4) element = T(random.between(-3, 3));
    }
    return x;
  }

  static bool check(accumulator kind, const std::vector<T>& x, const std::vector<T>& y,
                    const launch_shape& shape) {
    const bool apart = (shape.x_offset - shape.y_offset) * int(sizeof(T)) % 16 != 0;
    const whole_run run = run_whole(exact_integers_kernel(kind, dtype_of<T>, apart), x, y, shape);
    const word_list expected = integer_state(kind, x, y);
    EXPECT_EQ(run.words, expected)
        << "ONEFOLD_TEST_SEED=" << seed() << ": " << name(dtype_of<T>) << ", family " << int(kind)
        << ", n = " << x.size() << ", grid " << shape.blocks << " x " << shape.threads
        << ", offsets " << shape.x_offset << ", " << shape.y_offset;
    return run.words == expected && run.sound;
  }
};

using all_types = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                 std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_exact_integers, all_types);

constexpr accumulator reductions[] = {accumulator::total, accumulator::magnitudes,
                                      accumulator::squares, accumulator::products};

TYPED_TEST(cuda_exact_integers, are_the_cpus_for_all_kinds_lengths_and_grids) {
  std::uint64_t index = 0;
  for (const accumulator each : reductions) {
    const std::int64_t tile = exact_integers_kernel(each, dtype_of<TypeParam>).tile_items;
    for (const std::int64_t n : {std::int64_t(0), std::int64_t(1), std::int64_t(37), tile - 1, tile,
                                 tile + 1, 3 * tile + 5, 6 * tile})
      for (std::uint64_t kind = 0; kind < 5; ++kind) {
        random_source random = source_of(61, ++index);
        const auto x = this->elements(random, std::size_t(n), kind);
        const auto y = this->elements(random, std::size_t(n), kind);
        const launch_shape shape = {unsigned(random.between(1, 3)),
                                    32 * unsigned(random.between(1, 4))};
        if (!this->check(each, x, y, shape)) return;
      }
  }
}

TYPED_TEST(cuda_exact_integers, need_no_memory_for_the_answer_of_one_block) {
  random_source random = source_of(65, 0);
  const auto x = this->elements(random, 700, 0), y = this->elements(random, 700, 0);
  for (const accumulator kind : reductions)
    expect_answer_without_memory(exact_integers_kernel(kind, dtype_of<TypeParam>), kind, x, y);
}

TYPED_TEST(cuda_exact_integers, take_every_offset) {
  const int offsets = int(16 / sizeof(TypeParam));
  for (const accumulator kind : reductions) {
    const std::int64_t tile = exact_integers_kernel(kind, dtype_of<TypeParam>).tile_items;
    for (int offset = 0; offset < offsets; ++offset) {
      random_source random = source_of(62, std::uint64_t(offset));
      const std::size_t n = std::size_t(tile) + random.below(60);
      const auto x = this->elements(random, n, 0), y = this->elements(random, n, 0);
      const int other = random.one_in(2) ? offset : random.between(0, offsets - 1);
      if (!this->check(kind, x, y, {1, 64, offset, other})) return;
    }
  }
}

TYPED_TEST(cuda_exact_integers, are_of_as_many_elements_as_the_count_on_the_device) {
  for (const accumulator kind : reductions) {
    const whole_kernel kernel = exact_integers_kernel(kind, dtype_of<TypeParam>);
    random_source random = source_of(64, std::uint64_t(kind));
    const auto x = this->elements(random, std::size_t(3 * kernel.tile_items + 5), 0);
    for (const std::int64_t given : counts_of(std::int64_t(x.size()))) {
      const auto counted = first_of(x, given);
      EXPECT_EQ(run_whole(kernel, x, x, {2, 64, 0, 0, given}).words,
                integer_state(kind, counted, counted))
          << name(dtype_of<TypeParam>) << ", family " << int(kind) << ", " << given;
    }
  }
}

// Any byte but 0 is 1.
TEST(cuda_exact_booleans, may_be_any_bytes) {
  std::uint64_t index = 0;
  for (const accumulator kind : reductions) {
    const std::int64_t tile = exact_integers_kernel(kind, dtype::boolean).tile_items;
    for (const std::int64_t n : {std::int64_t(0), std::int64_t(45), tile, 3 * tile + 5})
      for (const bool dense : {false, true}) {
        random_source random = source_of(63, ++index);
        std::vector<std::uint8_t> x(static_cast<std::size_t>(n)), y = x, x_truths = x, y_truths = x;
        for (std::size_t i = 0; i < x.size(); ++i) {
          x[i] = std::uint8_t(dense || random.one_in(2) ? random.between(1, 255) : 0);
          y[i] = std::uint8_t(random.one_in(2) ? 1 << random.below(8) : 0);
          x_truths[i] = x[i] != 0, y_truths[i] = y[i] != 0;
        }
        const launch_shape shape = {2, 64, random.between(0, 15), random.between(0, 15)};
        const bool apart = shape.x_offset != shape.y_offset;
        const whole_run run =
            run_whole(exact_integers_kernel(kind, dtype::boolean, apart), x, y, shape);
        EXPECT_EQ(run.words, integer_state(kind, x_truths, y_truths))
            << "ONEFOLD_TEST_SEED=" << seed() << ": family " << int(kind) << ", n = " << n;
        EXPECT_TRUE(run.sound);
      }
  }
}

}  // namespace
}  // namespace onefold::test
