// SPDX-License-Identifier: Apache-2.0
// The kernels of any plan where order counts, under the executor: random axes, strides, masks, NaN
// policies and grids. The words are those of the CPU's tasks, bit for bit, and nothing is reported.
#include <gtest/gtest.h>

#include <string>

#include "cuda/kernels/strided/kernels.hpp"
#include "cuda/kernels/strided/ordered/model.hpp"
#include "cuda/kernels/strided/trials.hpp"
#include "cuda/kernels/whole/products/ordered.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::seed;
using onefold::test::source_of;

constexpr accumulator families[] = {accumulator::product};

std::int64_t words_of_chunk(accumulator kind, dtype input) {
  return kind == accumulator::product && is_floating(input) ? 5 : 2;
}

// Numbers of few binades, so that sums round and do not overflow.
void make_ordinary(random_source& random, random_view& x) {
  with_type(x.type, [&]<class T>(detail::tag<T>) {
    onefold::test::walk(x.axes, [&](std::int64_t offset) {
      std::byte* const at = x.memory.data() + x.before + offset;
      if constexpr (std::is_integral_v<T>) {
        if (sizeof(T) > 1 && random.one_in(2)) *at = std::byte(random.below(100));
      } else {
        const T value = onefold::test::any_of_exponent<T>(random, random.between(-3, 3));
        std::memcpy(at, &value, sizeof value);
      }
    });
  });
}

// Of every row but the first third some elements of another kind: far ones, the infinities, NaNs.
void make_far(random_source& random, random_view& x) {
  with_type(x.type, [&]<class T>(detail::tag<T>) {
    if constexpr (!std::is_integral_v<T>) {
      using format = detail::float_format<T>;
      const auto rows = x.axes[0].extent, row = x.axes[0].stride_bytes;
      for (std::int64_t r = rows / 3; r < rows; ++r)
        for (std::int64_t i = 0; i < x.axes[1].extent; ++i) {
          if (random.below(3) > 0) continue;
          auto bits = detail::to_bits(onefold::test::any_of_exponent<T>(random, 9));
          bits |= format::sign_bit;
          if (r % 4 == 1) bits = format::infinity | format::sign_bit;
          if (r % 4 == 2 && i % 5 == 0) bits = format::quiet_nan;
          if (r == rows - 1 && i % 7 == 0) bits = format::infinity;
          std::memcpy(x.memory.data() + r * row + i * x.axes[1].stride_bytes, &bits, sizeof bits);
        }
    }
  });
}

// NaNs are all the same, and so are states that mean the same.
word_list comparable(const strided_request& request, const std::int64_t* words) {
  word_list made(words, words + request.state_words);
  if (made.back() == 0) std::fill(made.begin(), made.end() - 1, 0);
  if (made.back() > 0)
    onefold::test::make_comparable(request.accumulator, !is_floating(request.input), made.data());
  return made;
}

bool check(const trial& trial, bool masked, const simt::launch_config& config,
           const std::string& where) {
  simt::device gpu;
  strided_request request = trial.request;
  request.x = on_device(gpu, trial.x, "x");
  if (masked) request.mask = on_device(gpu, trial.mask, "mask");
  request.state_words = words_of_chunk(request.accumulator, request.input) + 1;
  const std::int64_t all = request.outputs * request.pieces;
  auto* words =
      gpu.memory().allocate<std::int64_t>(std::size_t(all * request.state_words), "words");
  launch_strided(gpu, config, request, words);
  bool fine = gpu.report().empty();
  for (const auto& finding : gpu.report()) ADD_FAILURE() << where << ": " << finding.text();
  for (std::int64_t k = 0; k < all && fine; ++k) {
    const auto wanted = words_of_ordered_piece(request, k);
    fine =
        comparable(request, words + k * request.state_words) == comparable(request, wanted.data());
    EXPECT_TRUE(fine) << where << ": the words of piece " << k;
  }
  return fine;
}

struct counts {
  std::uint64_t trials;
  std::int64_t most_items, chunk_items;
};

void try_family(accumulator kind, std::uint64_t stream, const counts& as) {
  for (std::uint64_t k = 0; k < as.trials; ++k) {
    random_source random = source_of(stream + std::uint64_t(kind), k);
    const dtype input = all_dtypes[(k + random.below(3)) % std::size(all_dtypes)];
    trial made = make_trial(random, kind, input, as.most_items);
    if (random.between(0, 3) > 0) make_ordinary(random, made.x), make_ordinary(random, made.y);
    strided_request& request = made.request;
    request.shape = order::chunks;
    request.piece_items = std::min(std::max<std::int64_t>(request.items, 1), as.chunk_items);
    request.pieces = request.items == 0 ? 1 : (request.items - 1) / request.piece_items + 1;
    const bool masked = random.one_in(3);
    const simt::launch_config config = {.grid = {unsigned(random.between(1, 3))},
                                        .block = {strided_threads},
                                        .order = simt::schedule(random.below(3))};
    const std::string where = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", trial " +
                              std::to_string(k) + (masked ? ", masked" : "") + ", " + made.text;
    if (!check(made, masked, config, where)) return;
  }
}

class strided_order : public testing::TestWithParam<accumulator> {};
INSTANTIATE_TEST_SUITE_P(families, strided_order, testing::ValuesIn(families));

TEST_P(strided_order, of_random_plans) {
  try_family(GetParam(), 3200, {std::uint64_t(cases(80, 30)), 700, 512});
}
// Ragged ends about rows of 64, batches of 256 and blocks of 32 rows.
TEST_P(strided_order, of_many_elements) {
  try_family(GetParam(), 3220, {std::uint64_t(cases(20, 9)), 6'000, 4096});
}
// Behind whole blocks of rows some rows, and a row that is not whole.
TEST_P(strided_order, of_ragged_ends_behind_blocks_of_rows) {
  std::uint64_t index = 0;
  for (const dtype input : {dtype::f64, dtype::f32, dtype::f16})
    for (const std::int64_t items : {2048 + 3 * 64 + 7, 4097, 4096 + 31 * 64 + 63}) {
      random_source random = source_of(3260 + std::uint64_t(GetParam()), ++index);
      trial made;
      made.x.type = made.y.type = input;
      const auto width = std::int64_t(size_bytes(input));
      made.x.axes = {{items, width}};
      made.x.memory.resize(std::size_t(items * width));
      make_ordinary(random, made.x);
      made.y = made.x;
      strided_request& request = made.request;
      request.accumulator = GetParam(), request.input = input, request.shape = order::chunks;
      request.x_kind = request.y_kind = kind_of(input);
      request.aligned = true;
      request.axes.axis[request.axes.all++] = {items, width, width, 0};
      request.items = request.piece_items = items, request.outputs = 1;
      const std::string where = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", " +
                                std::string(name(input)) + ", " + std::to_string(items);
      if (!check(made, false, {.grid = {1}, .block = {strided_threads}}, where)) return;
    }
}
// Lines about as long as a row of the warp, and longer, further apart than they are long or less;
// chunks end amid them.
TEST_P(strided_order, of_lines) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(40, 20)); ++k) {
    random_source random = source_of(3280 + std::uint64_t(GetParam()), k);
    const dtype types[] = {dtype::f64, dtype::f32, dtype::f16, dtype::bf16};
    trial made;
    strided_request& request = made.request;
    made.x.type = request.input = types[k % 4];
    const auto width = std::int64_t(size_bytes(request.input));
    const std::int64_t line = random.one_in(3) ? random.between(31, 33) : random.between(34, 400);
    const std::int64_t lines = random.between(1, 40), answers = random.between(1, 3);
    const std::int64_t row = (line + random.between(-9, 9)) * width,
                       answer = lines * row + 400 * width;
    made.x.axes = {{answers, answer}, {lines, row}, {line, width}};
    made.x.memory.resize(std::size_t(answers * answer + 400 * width));
    make_ordinary(random, made.x);
    made.y = made.x;
    request.accumulator = GetParam(), request.shape = order::chunks;
    request.x_kind = request.y_kind = kind_of(request.input), request.aligned = true;
    request.axes.kept = 1, request.axes.all = 3;
    for (int a = 0; a < 3; ++a)
      request.axes.axis[a] = {made.x.axes[a].extent, made.x.axes[a].stride_bytes,
                              made.x.axes[a].stride_bytes, 0};
    request.items = lines * line, request.outputs = answers;
    request.piece_items =
        std::min(request.items, random.one_in(2) ? request.items : 64 * random.between(1, 40));
    request.pieces = (request.items - 1) / request.piece_items + 1;
    const std::string where = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", trial " +
                              std::to_string(k) + ", " + std::to_string(lines) + " lines of " +
                              std::to_string(line) + " " + std::string(name(request.input));
    if (!check(made, false, {.grid = {2}, .block = {strided_threads}}, where)) return;
  }
}
// Rows at any multiple of their type: near their largest element, so far below it that exponentials
// are zero, infinite, with NaNs.
TEST_P(strided_order, of_rows_of_far_elements) {
  std::uint64_t index = 0;
  for (const dtype input : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16})
    for (const std::int64_t items : {1, 63, 256, 320, 768, 1000, 1024, 2048 + 71}) {
      random_source random = source_of(3300 + std::uint64_t(GetParam()), ++index);
      trial made;
      strided_request& request = made.request;
      made.x.type = request.input = input;
      const auto width = std::int64_t(size_bytes(input));
      const std::int64_t rows = 12, row = (items + std::int64_t(random.below(2))) * width;
      made.x.axes = {{rows, row}, {items, width}};
      made.x.memory.resize(std::size_t(rows * row));
      make_ordinary(random, made.x);
      make_far(random, made.x);
      made.y = made.x;
      request.accumulator = GetParam(), request.shape = order::chunks;
      request.x_kind = request.y_kind = kind_of(input), request.aligned = true;
      request.axes.kept = 1, request.axes.all = 2;
      request.axes.axis[0] = {rows, row, row, 0}, request.axes.axis[1] = {items, width, width, 0};
      request.items = request.piece_items = items, request.outputs = rows;
      const std::string where = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", rows of " +
                                std::to_string(items) + " " + std::string(name(input));
      if (!check(made, false, {.grid = {2}, .block = {strided_threads}}, where)) return;
    }
}
}  // namespace
}  // namespace onefold::cuda::test
