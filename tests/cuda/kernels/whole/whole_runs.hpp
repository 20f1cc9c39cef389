// SPDX-License-Identifier: Apache-2.0
#pragma once
// One launch of a kernel of whole arrays under the executor, and the words that a state has.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "cuda/kernels/whole/exact_kernels.hpp"
#include "onefold/exact.hpp"
#include "simt/device.hpp"
#include "support/words.hpp"

namespace onefold::test {

struct launch_shape {
  unsigned blocks, threads;
  int x_offset = 0, y_offset = 0;          ///< elements behind a multiple of 256 bytes
  std::optional<std::int64_t> given = {};  ///< the count on the device; none: all elements
};

/// Less than there is, all, more, and less than nothing.
inline std::vector<std::int64_t> counts_of(std::int64_t n) {
  return {0, 1, n / 3, n - 1, n, n + 1, -3};
}

template <class T>
std::vector<T> first_of(const std::vector<T>& x, std::int64_t count) {
  return {x.begin(), x.begin() + std::clamp<std::int64_t>(count, 0, std::int64_t(x.size()))};
}

using word_list = std::vector<std::int64_t>;

struct whole_run {
  word_list words;
  way_counts ways;
  bool sound = true;  ///< no finding, and a workspace of zeros
};

template <class T>
const T* at_offset(simt::device& gpu, const std::vector<T>& values, int offset, const char* name) {
  std::vector<T> padded(values.size() + std::size_t(offset));
  std::copy(values.begin(), values.end(), padded.begin() + offset);
  return gpu.memory().copy(std::span<const T>(padded), name) + offset;
}

/// Runs a kernel twice in one workspace: the second run must find it as the first did.
template <class T>
whole_run run_whole(const whole_kernel& kernel, const std::vector<T>& x, const std::vector<T>& y,
                    const launch_shape& shape, bool quiet = false) {
  simt::device gpu;
  whole_run run;
  const word_list zeros(kernel.workspace_bytes / 8);
  const way_counts none;
  whole_arguments arguments = {at_offset(gpu, x, shape.x_offset, "x"),
                               at_offset(gpu, y, shape.y_offset, "y"),
                               std::int64_t(x.size()),
                               nullptr,
                               nullptr,
                               nullptr};
  arguments.workspace = gpu.memory().copy(std::span<const std::int64_t>(zeros), "workspace");
  arguments.counts = gpu.memory().copy(std::span<const way_counts>(&none, 1), "ways");
  if (shape.given)
    arguments.finish.count =
        gpu.memory().copy(std::span<const std::int64_t>(&*shape.given, 1), "count");
  for (int repeat = 0; repeat < 2; ++repeat) {
    arguments.words = gpu.memory().allocate<std::int64_t>(std::size_t(kernel.words), "words");
    const auto order = repeat == 0 ? simt::schedule::forward : simt::schedule::shuffled;
    kernel.launch(gpu, {.grid = {shape.blocks}, .block = {shape.threads}, .order = order},
                  arguments);
    for (const simt::finding& f : gpu.report()) {
      run.sound = false;
      if (!quiet) ADD_FAILURE() << f.text();
    }
    const word_list words(arguments.words, arguments.words + kernel.words);
    if (repeat == 1) run.sound &= words == run.words;
    run.words = words;
    const auto* left = static_cast<const std::int64_t*>(arguments.workspace);
    run.sound &= word_list(left, left + zeros.size()) == zeros;
  }
  run.ways = *arguments.counts;
  if (!quiet && !run.sound) ADD_FAILURE() << "a second launch differs, or the workspace is not 0";
  return run;
}

/// One block writes the same answer, the first operator's of the accumulator, without a workspace
/// and memory for the state's words.
template <class T>
void expect_answer_without_memory(const whole_kernel& kernel, onefold::accumulator kind,
                                  const std::vector<T>& x, const std::vector<T>& y) {
  simt::device gpu;
  const word_list zeros(kernel.workspace_bytes / 8);
  const double blank[2] = {-7, -7};
  const way_counts none;
  auto* const answers = gpu.memory().copy(std::span<const double>(blank), "answers");
  const op* const op = std::find_if(std::begin(all_ops), std::end(all_ops),
                                    [=](auto each) { return accumulator_of(each) == kind; });
  for (const int i : {0, 1}) {
    whole_arguments arguments = {at_offset(gpu, x, 0, "x"),
                                 at_offset(gpu, y, 0, "y"),
                                 std::int64_t(x.size()),
                                 nullptr,
                                 nullptr,
                                 nullptr};
    arguments.counts = gpu.memory().copy(std::span<const way_counts>(&none, 1), "ways");
    if (i == 0) {
      arguments.workspace = gpu.memory().copy(std::span<const std::int64_t>(zeros), "workspace");
      arguments.words = gpu.memory().allocate<std::int64_t>(std::size_t(kernel.words), "words");
    }
    arguments.finish.size = 1, arguments.finish.is_first = true;
    arguments.finish.answers[0] = {answers + i, *op, dtype::f64};
    kernel.launch(gpu, {.grid = {1}, .block = {128}}, arguments);
    for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text();
  }
  EXPECT_NE(answers[0], blank[0]);
  EXPECT_EQ(answers[0], answers[1]) << name(*op) << " of " << name(dtype_of<T>);
}

/// The words of the state of these elements or pairs, added one by one.
template <class T>
word_list state_of(onefold::accumulator kind, const std::vector<T>& x, const std::vector<T>& y) {
  exact_sum<T> sum;
  exact_dot<T> products;
  const auto absolute = [](T v) {
    if constexpr (requires { v.bits; })
      return T{std::uint16_t(v.bits & 0x7FFF)};
    else
      return std::signbit(v) ? -v : v;
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (kind == onefold::accumulator::total) sum.add(x[i]);
    if (kind == onefold::accumulator::magnitudes) sum.add(absolute(x[i]));
    if (kind == onefold::accumulator::squares) products.add(x[i], x[i]);
    if (kind == onefold::accumulator::products) products.add(x[i], y[i]);
  }
  const bool one = kind == onefold::accumulator::total || kind == onefold::accumulator::magnitudes;
  return one ? words_of(sum) : words_of(products);
}

}  // namespace onefold::test
