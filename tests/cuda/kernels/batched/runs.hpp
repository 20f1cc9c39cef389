// SPDX-License-Identifier: Apache-2.0
#pragma once
// Launches of the kernels of rows and columns under the executor, in shapes that a test chooses.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuda/kernels/batched/columns/columns_shape.hpp"
#include "cuda/kernels/batched/kernels.hpp"
#include "simt/device.hpp"
#include "support/random.hpp"

namespace onefold::test {

using kind = cuda::answer_form::kind;

/// x[across][outer][n][inner] that begins `offset` elements behind a multiple of 256 bytes.
struct batched_case {
  std::int64_t outer, n, inner;
  int offset = 0;
  kind which = kind::sum;
  dtype output = dtype::f32;
  unsigned blocks = 1;
  std::int64_t across = 1;
  std::int64_t gap = 0;    // of columns: elements after each row, which are nobody's
  std::int64_t apart = 1;  // elements from a column to the next

  std::size_t elements() const { return std::size_t(across * outer * n * inner); }
  std::size_t answers() const { return std::size_t(outer * inner); }
  std::string text() const {
    return "x[" + std::to_string(across) + "][" + std::to_string(outer) + "][" + std::to_string(n) +
           "][" + std::to_string(inner) + "], apart " + std::to_string(apart) + ", gap " +
           std::to_string(gap) + ", offset " + std::to_string(offset) + ", kind " +
           std::to_string(int(which)) + ", to " + std::string(name(output)) + ", seed " +
           std::to_string(seed());
  }
};

template <class T>
class batched_run {
 public:
  batched_run(const batched_kernels& kernels, const batched_case& trial, const std::vector<T>& x)
      : kernels_(kernels), case_(trial) {
    const std::int64_t row = trial.inner * trial.apart + trial.gap;
    const auto inner = std::size_t(trial.inner);
    std::vector<T> padded(std::size_t(trial.offset) + x.size() / inner * std::size_t(row));
    for (std::size_t i = 0; i < x.size(); ++i)
      padded[std::size_t(trial.offset) + i / inner * std::size_t(row) +
             i % inner * std::size_t(trial.apart)] = x[i];
    at_.x = gpu_.memory().copy(std::span<const T>(padded), "x") + trial.offset;
    at_.outer = trial.outer, at_.n = trial.n, at_.inner = trial.inner;
    at_.across = trial.across;
    places_ = cuda::contiguous_places(trial.outer, trial.n, row);
    places_.inner = trial.apart;
    at_.form = {trial.which, trial.output, trial.n * trial.across};
  }

  cuda::batched_block block() const {
    cuda::batched_block made = {at_.x, at_.outer, at_.n, at_.inner, nullptr};
    made.across = at_.across, made.places = places_;
    return made;
  }

  /// The answers' bytes.
  std::vector<std::byte> rows(const cuda::rows_shape& shape) {
    begin(shape.part, shape.parts);
    kernels_.rows(gpu_, config(64),
                  {at_, shape.group, shape.rows, shape.aligned, shape.vectors, shape.tile,
                   cuda::quotient_by(at_.n)});
    return end();
  }
  std::vector<std::byte> columns(const cuda::columns_shape& shape) {
    begin(shape.part, shape.parts);
    const unsigned lanes = (shape.across * shape.down + 31) / 32 * 32;
    kernels_.columns(gpu_, config(lanes),
                     {at_, places_, shape.across, shape.down, shape.aligned, shape.merged,
                      shape.cuts, shape.blocks});
    return end();
  }
  /// How many answers their parts left ambiguous.
  std::int64_t ambiguous() const { return ambiguous_; }

 private:
  simt::launch_config config(unsigned threads) const {
    return {.grid = {case_.blocks}, .block = {threads}, .order = simt::schedule::shuffled};
  }
  void begin(std::int64_t part, std::int64_t parts) {
    const std::size_t bytes = case_.answers() * size_bytes(case_.output);
    at_.out = gpu_.memory().allocate<std::uint64_t>((bytes + 7) / 8, "out");
    at_.part = part, at_.parts = parts;
    if (!joins()) return;
    at_.partials = gpu_.memory().allocate<std::int64_t>(
        case_.answers() * std::size_t(parts * kernels_.sum_words), "partials");
    const auto answers = std::int64_t(case_.answers());
    const std::int64_t none[cuda::ambiguous_counts] = {};
    list_ = cuda::ambiguous_list_in(
        gpu_.memory().copy(std::span<const std::int64_t>(none), "counts"),
        gpu_.memory().allocate<std::int64_t>(
            std::size_t(cuda::ambiguous_words(answers, case_.blocks)), "ambiguous"),
        answers);
  }
  std::vector<std::byte> end() {
    report();
    if (joins()) {
      kernels_.parts(gpu_, config(64), at_, list_), report();
      ambiguous_ = list_.counts[0];
      kernels_.fallback(gpu_, config(64), at_, places_, list_), report();
      EXPECT_TRUE(list_.counts[0] == 0 && list_.counts[1] == 0) << case_.text();
    }
    const auto* bytes = static_cast<const std::byte*>(at_.out);
    return {bytes, bytes + case_.answers() * size_bytes(case_.output)};
  }
  bool joins() const { return at_.parts > 1 || (at_.inner == 1 && at_.across > 1); }
  void report() {
    for (const simt::finding& f : gpu_.report()) ADD_FAILURE() << case_.text() << ": " << f.text();
  }

  const batched_kernels& kernels_;
  batched_case case_;
  simt::device gpu_;
  cuda::batched_arguments at_ = {};
  cuda::column_places places_ = {};
  cuda::ambiguous_list list_ = {};
  std::int64_t ambiguous_ = 0;
};

/// Every way that lanes can share rows across several blocks.
inline std::vector<cuda::rows_shape> all_across_shapes(const cuda::batched_block& block,
                                                       std::int64_t width) {
  std::vector<cuda::rows_shape> shapes = {cuda::shape_of_across(block, width)};
  const cuda::rows_shape usual = shapes[0];
  for (const unsigned group : {1u, 8u, 32u})  // a part of one block
    shapes.push_back({group, 0, usual.aligned, 1, block.across});
  if (usual.vectors == 0) return shapes;
  for (const std::int64_t part : {std::int64_t(1), block.across / 2 + 1, block.across}) {
    const std::int64_t parts = cuda::ceil_quotient(block.across, part);
    shapes.push_back({usual.group, 0, usual.aligned, part, parts, usual.vectors});
    shapes.push_back({32, 0, false, part, parts, 4});
  }
  return shapes;
}

/// Every way that lanes can share these rows.
inline std::vector<cuda::rows_shape> all_rows_shapes(const cuda::batched_block& block,
                                                     std::int64_t width, bool floats = true) {
  if (block.across > 1) return all_across_shapes(block, width);
  std::vector<cuda::rows_shape> shapes = {cuda::shape_of_rows(block, width, floats)};
  const cuda::rows_shape usual = shapes[0];
  const cuda::rows_shape staged = cuda::shape_of_staged_rows(block, width);
  if (usual.rows == 0 && staged.rows > 0) shapes.push_back(staged);
  const int most = usual.tile > 0 ? staged.rows : usual.rows;
  const int rows = std::max(most / 2, 1);  // has room wherever a span begins
  if (most > 1)
    for (const unsigned group : {1u, 4u})
      for (const bool aligned : {false, usual.aligned})
        shapes.push_back({group, rows, aligned, block.n, 1});
  for (const unsigned group : {2u, 8u, 32u})
    shapes.push_back({group, 0, usual.aligned, block.n, 1});
  const int held = width == 8 || floats ? 8 : 4;  // by registers, in one step or in several
  if (usual.aligned && block.n > 0)
    for (const unsigned group : {1u, 8u, 32u}) shapes.push_back({group, 0, true, block.n, 1, held});
  const std::int64_t part = (block.n + 2) / 3;
  if (part > 0) shapes.push_back({8, 0, false, part, cuda::ceil_quotient(block.n, part)});
  // A lane may have all of the parts, of which the executor's patience is for some 50000.
  if (block.n >= 16 && block.outer * block.n < 40000) shapes.push_back({8, 0, false, 1, block.n});
  if (block.n * width < 16) return shapes;  // neighbours of tiles have whole vectors
  // By tiles: several rows a step, by turns too, a row, and parts of it, in several tiles.
  const int n = int(block.n), third = n / 3 + 1;
  shapes.push_back(cuda::shape_of_tiled_rows(block, width, block.n, 1));
  if (3 * n * width <= 5000) shapes.push_back({16, 3, false, block.n, 1, 0, n});
  if (n * width <= 15000) shapes.push_back({32, 1, false, block.n, 1, 0, third});
  if (n >= 16 && n * width <= 15000)
    shapes.push_back({32, 1, false, part, cuda::ceil_quotient(block.n, part), 0, int(part / 2)});
  return shapes;
}

inline std::vector<cuda::columns_shape> all_columns_shapes(const cuda::batched_block& block,
                                                           std::int64_t width) {
  const cuda::columns_shape usual = cuda::shape_of_columns(block, width);
  const bool plain = usual.aligned && usual.merged == 1;
  std::vector<cuda::columns_shape> shapes = {usual};
  const auto cut = [&](unsigned down, std::int64_t part, std::int64_t blocks) {
    const std::int64_t cuts = std::max<std::int64_t>(cuda::ceil_quotient(block.n, part), 1);
    shapes.push_back({std::min(usual.across, 9u), down, plain, part,
                      cuts * cuda::ceil_quotient(block.across, blocks), 0, 1, cuts, blocks});
  };
  const std::int64_t all = std::max<std::int64_t>(block.n, 1), third = (all + 2) / 3;
  for (const unsigned down : {1u, 2u, 5u, 7u}) cut(down, all, block.across);
  cut(1, third, 1);
  if (block.n >= 16 && usual.merged == 1) cut(1, 1, 1);
  if (block.across > 1 || block.places.row != block.inner || block.places.inner != 1) {
    cut(3, all, block.across / 2 + 1);
    return shapes;
  }
  // Several rows as one, in one band and in three.
  for (const int merged : {2, 3, 16}) {
    const std::int64_t rows = block.n / merged, part = rows / 3 + 1;
    const std::int64_t cuts = std::max<std::int64_t>(cuda::ceil_quotient(rows, part), 1);
    shapes.push_back({5, 3, false, std::max<std::int64_t>(rows, 1), merged, 0, merged});
    shapes.push_back({9, 1, false, part, cuts * merged, 0, merged, cuts});
  }
  return shapes;
}

}  // namespace onefold::test
