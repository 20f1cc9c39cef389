// SPDX-License-Identifier: Apache-2.0
// Kernels of segments and keys are the CPU engine, as those of fake_kernels.cpp.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/kernels/keys/sort.hpp"
#include "cuda/kernels/keys/table.hpp"
#include "cuda/kernels/segments/columns/column_folds.hpp"
#include "cuda/kernels/segments/rows/row_folds.hpp"
#include "cuda/kernels/segments/segments_entry.hpp"
#include "onefold/keys.hpp"
#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"

namespace onefold::cuda::test {
namespace {

std::uint64_t finding_of(const status& done) {
  switch (done.code()) {
  case status_code::ok:
    return 0;
  case status_code::overflow:
    return sum_does_not_fit;
  case status_code::empty:
    return segment_is_empty;
  case status_code::not_a_number:
    return met_nan;
  default:
    return offsets_are_wrong;
  }
}

void run_rows(const segments_request& request, const segments_block& block) {
  const auto item = std::int64_t(size_bytes(request.output)),
             width = std::int64_t(size_bytes(request.input));
  const axis_list pairs = {{block.count, 2 * item}, {2, item}}, single = {{block.count, item}};
  const output_view out(block.out, request.output, answers_of(request.op) > 1 ? pairs : single);
  const array_view x(block.x, request.input,
                     {{block.count, block.length * width}, {block.length, width}});
  options how;
  how.axes = {1}, how.accuracy = request.accuracy, how.nan_policy = request.nan,
  how.first_index = block.first_index;
  if (!reduce(executor::cpu{1}, request.op, {x}, out, how)) std::abort();
}

/// The answers of a nest, of whose axes those from `kept` on are reduced.
void run_nest(const segments_request& request, const strided_request& nest, void* out,
              std::int64_t first_index) {
  if (!is_known(nest.x) || !is_known(out)) std::abort();
  const axis_nest& from = nest.axes;
  axis_list axes;
  std::vector<std::int64_t> left;
  options how;
  for (int a = 0; a < from.all; ++a) axes.push_back({from.axis[a].extent, from.axis[a].x_bytes});
  if (from.all == from.kept) axes.push_back({1, nest.x_kind.bytes});
  for (int a = 0; a < from.kept; ++a) left.push_back(from.axis[a].extent);
  std::vector<int> reduced(std::size_t(std::max(from.all - from.kept, 1)));
  std::iota(reduced.begin(), reduced.end(), from.kept);
  how.axes = axis_set(reduced);
  if (answers_of(request.op) > 1) left.push_back(2);
  how.nan_policy = request.nan, how.first_index = first_index;
  const array_view x(nest.x, request.input, axes);
  const output_view to(out, request.output,
                       row_major(left, std::int64_t(size_bytes(request.output))));
  if (!reduce(executor::cpu{1}, request.op, {x}, to, how)) std::abort();
}

void run_columns(const column_folds& columns, void* workspace) {
  const std::size_t bytes = workspace_bytes_of(columns);
  if (bytes > 0) std::memset(workspace, 0xA5, bytes);
  run_nest(columns.request, columns.nest, columns.out, columns.first_index);
}

void run_row_folds(const row_folds& folds) {
  if (!has_rows(folds.nest)) std::abort();
  run_nest(folds.request, folds.nest, folds.out, folds.first_index);
}

// The workspace is zero, used up to its last byte, and not given back as it was.
void run_segments(const segments_launch& launch, void* workspace) {
  const segments_request& request = launch.request;
  const segments_block& block = launch.block;
  const bool of_rows = block.offsets == nullptr;
  if (!is_known(block.out) || !(of_rows || is_known(block.offsets))) std::abort();
  if (block.items > 0 && !is_known(block.x)) std::abort();
  const std::size_t bytes = launch.workspace_bytes;
  const auto* const at = static_cast<const char*>(workspace);
  if (std::any_of(at, at + bytes, [](char byte) { return byte != 0; })) std::abort();
  std::memset(workspace, 0xA5, bytes);
  if (of_rows) return run_rows(request, block);
  const auto item = std::int64_t(size_bytes(request.output));
  const axis_list pairs = {{block.count, 2 * item}, {2, item}}, single = {{block.count, item}};
  const output_view out(block.out, request.output, answers_of(request.op) > 1 ? pairs : single);
  const array_view x(block.x, request.input,
                     {{block.items, std::int64_t(size_bytes(request.input))}});
  options how;
  how.accuracy = request.accuracy, how.nan_policy = request.nan,
  how.first_index = block.first_index;
  const std::span offsets(block.offsets, std::size_t(block.count) + 1);
  const std::uint64_t found =
      finding_of(reduce_segments(executor::cpu{1}, request.op, x, offsets, out, how));
  std::memcpy(workspace, &found, sizeof found);
}

int launch_segments(const segments_launch& launch, void* workspace, void* stream) {
  return int(enqueue(stream, [=] { run_segments(launch, workspace); }));
}

// Where runs of keys begin; whether they fall.
std::vector<std::int64_t> runs_of(const key_list& list, bool& falls) {
  if (!is_known(list.keys)) std::abort();
  std::vector<std::int64_t> begins;
  with_type(list.kind.type, [&]<class T>(detail::tag<T>) {
    const T* const keys = static_cast<const T*>(list.keys);
    if constexpr (std::is_integral_v<T>)
      for (std::int64_t i = 0; i < list.n; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) begins.push_back(i);
        falls = falls || (i > 0 && keys[i] < keys[i - 1]);
      }
  });
  return begins;
}

void count_key_runs(const key_list& keys, std::int64_t* words, void* bytes) {
  bool falls = false;
  std::memset(bytes, 0xA5, key_bytes(keys));
  const std::size_t last = key_words(keys.n) - 1;
  if (!is_known(words) || words[last] != 0) std::abort();
  words[last - 1] = std::int64_t(runs_of(keys, falls).size());
  words[last] = falls;
}

void write_key_runs(const key_list& list, std::int64_t* offsets, void* keys) {
  bool falls = false;
  const std::size_t width = list.kind.bytes;
  if (!is_known(offsets) || !is_known(keys)) std::abort();
  std::size_t k = 0;
  for (const std::int64_t begin : runs_of(list, falls)) {
    std::memcpy(static_cast<std::byte*>(keys) + k * width,
                static_cast<const std::byte*>(list.keys) + std::size_t(begin) * width, width);
    offsets[k++] = begin;
  }
  offsets[k] = list.n;
}

void sort_keys(const key_list& list, std::uint32_t* places) {
  if (!is_known(list.keys) || !is_known(places)) std::abort();
  std::iota(places, places + list.n, 0u);
  with_type(list.kind.type, [&]<class T>(detail::tag<T>) {
    const T* const keys = static_cast<const T*>(list.keys);
    if constexpr (std::is_integral_v<T>)
      std::stable_sort(places, places + list.n, [&](auto i, auto j) { return keys[i] < keys[j]; });
  });
}

void gather(const void* from, std::size_t width, const std::uint32_t* places, std::int64_t n,
            void* to) {
  if (!is_known(from) || !is_known(places) || !is_known(to)) std::abort();
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(static_cast<std::byte*>(to) + std::size_t(i) * width,
                static_cast<const std::byte*>(from) + std::size_t(places[i]) * width, width);
}

// Ordinals of keys; the shifts of elements as if they were all the same.
void find_extents(const key_elements& elements, key_extents& to) {
  if (!is_known(elements.keys.keys) || !is_known(elements.x) || !is_known(&to)) std::abort();
  if (to.last_key != 0 || to.not_first_key != 0) std::abort();
  with_type(elements.keys.kind.type, [&]<class T>(detail::tag<T>) {
    const std::span keys(static_cast<const T*>(elements.keys.keys), std::size_t(elements.keys.n));
    if constexpr (std::is_integral_v<T>)
      for (const T key : keys) {
        const std::uint64_t top = std::is_signed_v<T> ? std::uint64_t(1) << (8 * sizeof(T) - 1) : 0;
        const std::uint64_t mask = ~std::uint64_t(0) >> (64 - 8 * sizeof(T));
        const std::uint64_t ordinal = (std::uint64_t(key) & mask) ^ top;
        to.last_key = std::max(to.last_key, ordinal);
        to.not_first_key = std::max(to.not_first_key, ~ordinal);
      }
  });
  to.not_first_shift = ~std::uint64_t(0);
}

group_outputs groups_to(void* keys, void* answers, dtype output, std::int64_t count) {
  return {keys, {answers, output, {{count, std::int64_t(size_bytes(output))}}}};
}

// The answers of all keys by the CPU, where there is room for them; how many there are.
std::int64_t reduce_keys(const key_elements& elements, op op, dtype output, void* answers,
                         void* keys) {
  std::vector<std::byte> own_keys, own_answers;
  std::int64_t groups = 0;
  const auto width = std::int64_t(size_bytes(elements.type)),
             key_width = std::int64_t(elements.keys.kind.bytes);
  const auto make = [&](std::int64_t count) {
    groups = count;
    own_keys.resize(std::size_t(count * key_width));
    own_answers.resize(std::size_t(count) * size_bytes(output));
    return answers != nullptr ? groups_to(keys, answers, output, count)
                              : groups_to(own_keys.data(), own_answers.data(), output, count);
  };
  if (!reduce_by_key(
          executor::cpu{1}, op,
          array_view(elements.keys.keys, elements.keys.kind.type, {{elements.keys.n, key_width}}),
          array_view(elements.x, elements.type, {{elements.keys.n, width}}), make))
    std::abort();
  return groups;
}

void add_keys(const key_elements& elements, const key_table& table) {
  const auto words = std::size_t(table.copies) * std::size_t(table.copy_words());
  if (!is_known(table.sums) || !is_known(table.places)) std::abort();
  if (std::any_of(table.sums, table.sums + words, [](auto word) { return word != 0; }))
    std::abort();
  std::fill_n(table.sums, words, -1);
  std::fill_n(table.decided, table.slots, std::uint8_t(0xA5));
  std::fill_n(table.present, table.slots + 1, 0xA5u);
  std::fill_n(table.not_minus_zero, table.slots + 1, 0xA5u);
  table.places[table.slots] = reduce_keys(elements, op::count, dtype::i64, nullptr, nullptr);
}

}  // namespace
}  // namespace onefold::cuda::test

namespace onefold::cuda {

segments_launcher segment_totals(dtype) {
  return test::launch_segments;
}
segments_launcher segment_norms(accumulator, dtype) {
  return test::launch_segments;
}
segments_launcher segment_integer_totals(dtype) {
  return test::launch_segments;
}
segments_launcher segment_selections(op, dtype) {
  return test::launch_segments;
}
int launch_column_folds(const column_folds& columns, void* workspace, void* stream) {
  return int(test::enqueue(stream, [=] { test::run_columns(columns, workspace); }));
}
int launch_row_folds(const row_folds& folds, unsigned, void* stream) {
  return int(test::enqueue(stream, [=] { test::run_row_folds(folds); }));
}
int launch_key_counts(const key_list& keys, std::int64_t* words, void* bytes, void* stream) {
  return int(test::enqueue(stream, [=] { test::count_key_runs(keys, words, bytes); }));
}
int launch_key_runs(const key_list& list, const std::int64_t*, const void*, std::int64_t* offsets,
                    void* keys, void* stream) {
  return int(test::enqueue(stream, [=] { test::write_key_runs(list, offsets, keys); }));
}
int launch_key_extents(const key_elements& elements, key_extents* to, unsigned, void* stream) {
  return int(test::enqueue(stream, [=] { test::find_extents(elements, *to); }));
}
int ask_offsets(std::int64_t, std::size_t& scratch_bytes) {
  scratch_bytes = 1;
  return 0;
}
int launch_key_sums(const key_elements& elements, const key_table& table, void* scratch,
                    std::size_t, unsigned, void* stream) {
  return int(test::enqueue(stream, [=] {
    *static_cast<std::byte*>(scratch) = std::byte(0);
    test::add_keys(elements, table);
  }));
}
int launch_key_answers(const key_elements& elements, const key_table&, bool is_mean, dtype output,
                       void* answers, void* keys, void* stream) {
  return int(test::enqueue(stream, [=] {
    test::reduce_keys(elements, is_mean ? op::mean : op::sum, output, answers, keys);
  }));
}
int ask_key_sort(const key_list& keys, std::size_t& bytes) {
  bytes = std::size_t(keys.n) * sizeof(std::uint32_t);
  return 0;
}
int launch_key_sort(const key_list& keys, void* workspace, std::size_t bytes,
                    const std::uint32_t*& places, void* stream) {
  if (bytes != std::size_t(keys.n) * sizeof(std::uint32_t)) std::abort();
  auto* const at = static_cast<std::uint32_t*>(workspace);
  places = at;
  return int(test::enqueue(stream, [=] { test::sort_keys(keys, at); }));
}
int launch_gather(const void* from, std::size_t item_bytes, const std::uint32_t* places,
                  std::int64_t n, void* to, void* stream) {
  return int(test::enqueue(stream, [=] { test::gather(from, item_bytes, places, n, to); }));
}
int launch_own_places(std::int64_t* at, std::int64_t n, const std::uint32_t* places,
                      std::int64_t first_index, void* stream) {
  return int(test::enqueue(stream, [=] {
    for (std::int64_t k = 0; k < n; ++k) at[k] = first_index + std::int64_t(places[at[k]]);
  }));
}

}  // namespace onefold::cuda
