// SPDX-License-Identifier: Apache-2.0
// Kernels are the CPU engine. All that they read and write must be memory of the fake device.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/full/entry.hpp"
#include "cuda/many/entry.hpp"
#include "cuda/nested/entry.hpp"
#include "cuda/nested/model.hpp"
#include "cuda/nested/ordered/log_columns.hpp"
#include "cuda/nested/ordered/model.hpp"
#include "cuda/normalize/normalize.hpp"
#include "cuda/ordered/chunk_words.hpp"
#include "cuda/ordered/ordered.hpp"
#include "cuda/transpose/transpose.hpp"
#include "onefold/onefold.hpp"
#include "request/tuning.hpp"
#include "rounding/round_state.hpp"
#include "runtime/float_environment.hpp"
#include "state/chunk_tree.hpp"
#include "state/states.hpp"

namespace onefold::cuda::test {
namespace {

op operator_of(accumulator of) {
  for (const op what : all_ops)
    if (accumulator_of(what) == of) return what;
  return op::sum;
}

constexpr std::size_t fake_workspace_bytes = 100;

bool all_zero(const void* workspace) {
  const auto* bytes = static_cast<const char*>(workspace);
  return std::all_of(bytes, bytes + fake_workspace_bytes, [](char byte) { return byte == 0; });
}

void write_words(const any_state& from, std::int64_t* words) {
  std::visit([&](const auto& known) { known.for_each_word([&](std::int64_t w) { *words++ = w; }); },
             from);
}

any_state products_of(const full_request& of) {
  if (!is_known(of.y)) std::abort();
  any_state made = empty_state(of.of, of.input);
  with_type(of.input, [&]<class T>(detail::tag<T>) {
    using known = exact_dot<std::conditional_t<std::is_integral_v<T>, std::int64_t, T>>;
    const auto item = std::int64_t(sizeof(T));
    const auto *x = static_cast<const std::byte*>(of.x), *y = static_cast<const std::byte*>(of.y);
    for (std::int64_t i = 0; i < of.n * item; i += item)
      std::get<known>(made).add(element_at<T>(x + i, of.input), element_at<T>(y + i, of.input));
  });
  return made;
}

any_state state_of(const full_request& of) {
  if (of.of == accumulator::products) return products_of(of);
  const array_view x(of.x, of.input, {{of.n, std::int64_t(size_bytes(of.input))}});
  options how;
  how.first_index = of.finish.first_index;
  const state made = try_partial(executor::cpu{1}, operator_of(of.of), x, how).value();
  return onefold::detail::state_access::known(made);
}

// By the host's finish, to memory of the device alone.
void finish_answers(const finish_list& list, dtype input, const any_state& state) {
  auto first = status_code::ok;
  for (int i = 0; i < list.size; ++i) {
    const finish_item& each = list.answers[i];
    if (!is_known(each.to)) std::abort();
    const auto done = round_state(each.what, state, {input, list.nan, double(list.correction)},
                                  each.to, each.type);
    if (first == status_code::ok) first = done.code();
  }
  if (list.size == 0 || list.status == nullptr) return;
  if (list.is_first || *list.status == 0) *list.status = int(first);
}

// The words of the CPU's state; all memory must be the device's, and the workspace zero.
void run_kernel(full_request of, void* workspace, std::int64_t* words) {
  if (of.finish.count != nullptr) of.n = std::clamp<std::int64_t>(*of.finish.count, 0, of.n);
  const bool there = of.n == 0 || is_known(of.x);
  if (!all_zero(workspace) || !there || !is_known(words)) std::abort();
  const any_state made = state_of(of);
  write_words(made, words);
  finish_answers(of.finish, of.input, made);
}

int launch(const full_request& of, grid_shape, void* workspace, std::int64_t* words, void* stream) {
  return int(enqueue(stream, [=] { run_kernel(of, workspace, words); }));
}

constexpr full_entry fake_full = {fake_workspace_bytes, usual_threads, usual_blocks_each, launch};

// The answers of a launch of any plan, from the words of their pieces.
void finish_nested(const nested_request& of, std::int64_t k) {
  finish_list list = of.finish;
  for (int i = 0; i < list.size; ++i) {
    finish_item& each = list.answers[i];
    each.to = static_cast<std::byte*>(each.to) +
              (of.first_output + k) * std::int64_t(size_bytes(each.type));
  }
  if (of.shape == order::none) {
    const word_list words = words_of_piece(of, k);
    const std::int64_t* next = words.data();
    any_state state = empty_state(of.of, of.input);
    std::visit([&]<class S>(S& known) { known = S::from_words([&] { return *next++; }); }, state);
    return finish_answers(list, of.input, state);
  }
  nested_request one = of;
  one.state_words = ordered_chunk_words(of.of, of.input) + 1;
  finish_answers(list, of.input, log_sum_of_answer(one, k));
}

// As run_kernel, for a launch of any plan.
void run_nested(const nested_request& of, std::int64_t* words) {
  for (const std::byte* each : {of.x, of.y, of.mask})
    if (each != nullptr && !is_known(each)) std::abort();
  for (std::int64_t k = 0; of.finish.size > 0 && k < of.outputs; ++k) finish_nested(of, k);
  if (of.finish.size > 0) return;
  if (!is_known(words)) std::abort();
  for (std::int64_t k = 0; k < of.outputs * of.pieces; ++k) {
    const word_list state =
        of.shape == order::none ? words_of_piece(of, k) : words_of_ordered_piece(of, k);
    const auto size = std::min(std::int64_t(state.size()), of.state_words);
    std::copy_n(state.begin(), size, words + k * of.state_words);
  }
}

int launch(const nested_request& of, std::int64_t* words, void* stream) {
  return int(enqueue(stream, [=] { run_nested(of, words); }));
}

// The answers are those of the first launch, or of the second, which reads what the first wrote.
// The last one leaves nothing that a first one could have written.
void run_moment_columns(const moment_columns& of) {
  const bool joins = of.step != column_step::parts;
  if (of.parts > 1) {
    const std::int64_t last = workspace_words_of(of) - 1;
    if (!is_known(of.partials) || !is_known(of.partials + last)) std::abort();
    if (joins != (of.partials[0] == last && of.partials[last] == last)) std::abort();
    const bool ends = of.step == (of.shares ? column_step::exact : column_step::join);
    of.partials[0] = of.partials[last] = ends ? -1 : last;
    if (of.step != column_step::join) return;
  }
  nested_request whole = of.of;
  whole.pieces = 1, whole.piece_items = whole.items;
  for (std::int64_t k = 0; k < whole.outputs; ++k) finish_nested(whole, k);
}

// The last launch writes the answers; before the first one the workspace is zero.
void run_log_columns(const log_columns& of) {
  const std::int64_t last = of.of.outputs * of.of.pieces - 1;
  if (!is_known(of.sums) || !is_known(of.tops + last)) std::abort();
  const bool first = of.step == steps_of(of)[0];
  if (first != (of.sums[0] == 0 && of.sums[last] == 0 && of.tops[0] == 0 && of.tops[last] == 0))
    std::abort();
  of.tops[last] = 1;
  for (std::int64_t k = 0; of.step == log_step::answers && k < of.of.outputs; ++k)
    finish_nested(of.of, k);
}

// Chunk after chunk, by the CPU's tasks.
void run_chunks(const full_request& of, std::int64_t* words) {
  const auto item = std::int64_t(size_bytes(of.input));
  if (!is_known(of.x) || !is_known(words)) std::abort();
  for (std::int64_t first = 0; first < of.n; first += tuning::chunk_items) {
    const auto at = [&](const void* data) {
      return data == nullptr ? data : static_cast<const char*>(data) + first * item;
    };
    const auto n = std::min(of.n - first, tuning::chunk_items);
    const auto made = onefold::test::kernel_words(of.of, of.input, at(of.x), n);
    words = std::copy(made.begin(), made.end(), words);
  }
}

ordered_entry fake_chunks(accumulator of, int product_words) {
  const auto launch = [](const full_request& asked, unsigned, std::int64_t* to, void* stream) {
    return int(enqueue(stream, [=] { run_chunks(asked, to); }));
  };
  if (of == accumulator::product) return {product_words, launch};
  if (of == accumulator::log_sum) return {log_sum_chunk_words, launch, log_sum_words};
  return {};
}

detail::log_sum state_of_chunk(const std::int64_t* words, std::int64_t n) {
  return detail::log_sum::of_piece(std::min(n, tuning::chunk_items), words[2], words[3] != 0,
                                   std::bit_cast<double>(words[0]),
                                   std::bit_cast<double>(words[1]));
}

// As the host merges chunks, one after another in a tree.
void run_log_sum_trees(const std::int64_t* words, std::int64_t n, std::int64_t* to,
                       const unsigned* ticket, const finish_list& list) {
  const float_environment sound;
  std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  if ((n > 0 && !is_known(words)) || !is_known(to)) std::abort();
  if (list.size > 0 && *ticket != 0) std::abort();
  const auto tree_of = [&](std::int64_t some) {
    chunk_tree above{ordered_state(detail::log_sum())};
    for (; some > 0; --some, --chunks, words += 4, n -= tuning::chunk_items)
      above.push(state_of_chunk(words, n));
    return std::get<detail::log_sum>(above.value());
  };
  if (list.size > 0) return finish_answers(list, dtype::f64, tree_of(chunks));
  while (chunks >= device_tree_chunks)
    tree_of(device_tree_chunks).for_each_word([&](std::int64_t word) { *to++ = word; });
  std::copy_n(words, 4 * chunks, to);
}

// The workspace is used up to its last byte, and not given back as it was.
void run_many(const many_request& of, const many_block& block, void* workspace) {
  if (!is_known(block.x) || !is_known(block.out)) std::abort();
  const std::size_t bytes = many_workspace_bytes(of, block);
  if (bytes > 0) std::memset(workspace, 0xA5, bytes);
  const std::int64_t extents[] = {block.across, block.outer, block.n, block.inner};
  const std::int64_t left[] = {block.outer, block.inner};
  const array_view x(block.x, of.input, row_major(extents, std::int64_t(size_bytes(of.input))));
  const output_view out(block.out, of.output, row_major(left, std::int64_t(size_bytes(of.output))));
  options how;
  how.axes = {0, 2};
  how.accuracy = of.accuracy;
  if (!reduce(executor::cpu{}, of.what, {x}, out, how)) std::abort();
}

int launch_rows_and_columns(const many_request& of, const many_block& block, void* workspace, void*,
                            void* stream) {
  return int(enqueue(stream, [=] { run_many(of, block, workspace); }));
}

void normalize_rows(const rms_norm_rows& of) {
  const auto item = std::int64_t(size_bytes(of.type));
  const dtype weights = of.float_weight ? dtype::f32 : of.type;
  rms_norm_options options = {.eps = of.eps, .inverse = of.inverse};
  if (of.weight != nullptr)
    options.weight = array_view(of.weight, weights, {{of.n, std::int64_t(size_bytes(weights))}});
  const array_view x(of.x, of.type, {{of.rows, of.stride * item}, {of.n, item}});
  if (!onefold::rms_norm(executor::cpu{1}, x, of.y, options)) std::abort();
}

void softmax_of_rows(const softmax_rows& of) {
  const auto item = std::int64_t(size_bytes(of.type));
  const array_view x(of.x, of.type, {{of.rows, of.stride * item}, {of.n, item}});
  const auto call = of.logarithm ? onefold::log_softmax : onefold::softmax;
  if (!call(executor::cpu{1}, x, of.y, {})) std::abort();
}

void copy_matrix(const matrix_copy& of) {
  if (!is_known(of.from) || !is_known(of.to)) std::abort();
  for (std::int64_t r = 0; r < of.rows; ++r)
    for (std::int64_t c = 0; c < of.columns; ++c)
      std::memcpy(of.to + r * of.to_row + c * of.to_column,
                  of.from + r * of.from_row + c * of.from_column, std::size_t(of.item_bytes));
}

}  // namespace
}  // namespace onefold::cuda::test

namespace onefold::cuda {

many_launcher many_totals(dtype) {
  return test::launch_rows_and_columns;
}
many_launcher many_magnitudes(dtype) {
  return test::launch_rows_and_columns;
}
many_launcher many_squares(dtype) {
  return test::launch_rows_and_columns;
}
many_launcher many_integer_totals(dtype) {
  return test::launch_rows_and_columns;
}
int launch_transpose(const transpose_launch& of, void* stream) {
  return int(test::enqueue(stream, [=] { test::copy_matrix(of.copy); }));
}
int launch_rms_norm(const rms_norm_launch& of, void* stream) {
  return int(test::enqueue(stream, [=] { test::normalize_rows(of.of); }));
}
int launch_softmax(const softmax_launch& of, void* stream) {
  return int(test::enqueue(stream, [=] { test::softmax_of_rows(of.of); }));
}
full_entry floating_entry(accumulator of, dtype, sum_lanes) {
  return of <= accumulator::moments ? test::fake_full : full_entry();
}
full_entry integer_entry(accumulator of, dtype) {
  return of <= accumulator::moments ? test::fake_full : full_entry();
}
full_entry moments_entry(dtype) {
  return test::fake_full;
}
full_entry selection_entry(accumulator of, dtype input) {
  return of == accumulator::bits && is_floating(input) ? full_entry() : test::fake_full;
}
int launch_nested_floats(const nested_request& of, unsigned, std::int64_t* words, void* stream) {
  return test::launch(of, words, stream);
}
int launch_nested_ordered(const nested_request& of, unsigned, std::int64_t* words, void* stream) {
  return test::launch(of, words, stream);
}
int launch_nested_folds(const nested_request& of, unsigned, std::int64_t* words, void* stream) {
  return test::launch(of, words, stream);
}
int launch_nested_moments(const nested_request& of, unsigned, void* stream) {
  return test::launch(of, static_cast<std::int64_t*>(nullptr), stream);
}
int launch_moments_of_columns(const moment_columns& of, unsigned, void* stream) {
  return int(test::enqueue(stream, [=] { test::run_moment_columns(of); }));
}
int launch_log_columns_step(const log_columns& of, unsigned, void* stream) {
  return int(test::enqueue(stream, [=] { test::run_log_columns(of); }));
}
ordered_entry ordered_float_entry(accumulator of, dtype) {
  return test::fake_chunks(of, 5);
}
int launch_log_sum_trees(const std::int64_t* words, std::int64_t n, std::int64_t* to,
                         unsigned* ticket, const finish_list& list, void* stream) {
  return int(test::enqueue(stream, [=] { test::run_log_sum_trees(words, n, to, ticket, list); }));
}
ordered_entry ordered_integer_entry(accumulator of, dtype) {
  return test::fake_chunks(of, 2);
}

}  // namespace onefold::cuda
