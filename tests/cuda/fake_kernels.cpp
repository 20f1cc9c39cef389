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
#include "cuda/kernels/batched/batched_entry.hpp"
#include "cuda/kernels/gather/gather.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"
#include "cuda/kernels/strided/model.hpp"
#include "cuda/kernels/strided/ordered/model.hpp"
#include "cuda/kernels/strided/strided_entry.hpp"
#include "cuda/kernels/transpose/transpose.hpp"
#include "cuda/kernels/whole/products/chunk_words.hpp"
#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/kernels/whole/whole_entry.hpp"
#include "onefold/onefold.hpp"
#include "request/tuning.hpp"
#include "rounding/round_state.hpp"
#include "runtime/float_environment.hpp"
#include "state/chunk_tree.hpp"
#include "state/states.hpp"

namespace onefold::cuda::test {
namespace {

op operator_of(accumulator kind) {
  for (const op op : all_ops)
    if (accumulator_of(op) == kind) return op;
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

any_state products_of(const whole_request& request) {
  if (!is_known(request.y)) std::abort();
  any_state made = empty_state(request.accumulator, request.input);
  with_type(request.input, [&]<class T>(detail::tag<T>) {
    using known = exact_dot<std::conditional_t<std::is_integral_v<T>, std::int64_t, T>>;
    const auto item = std::int64_t(sizeof(T));
    const auto *x = static_cast<const std::byte*>(request.x),
               *y = static_cast<const std::byte*>(request.y);
    for (std::int64_t i = 0; i < request.n * item; i += item)
      std::get<known>(made).add(element_at<T>(x + i, request.input),
                                element_at<T>(y + i, request.input));
  });
  return made;
}

any_state state_of(const whole_request& request) {
  if (request.accumulator == accumulator::products) return products_of(request);
  const array_view x(request.x, request.input,
                     {{request.n, std::int64_t(size_bytes(request.input))}});
  options how;
  how.first_index = request.finish.first_index;
  const state made =
      try_partial(executor::cpu{1}, operator_of(request.accumulator), x, how).value();
  return onefold::detail::state_access::known(made);
}

// By the host's finish, to memory of the device alone.
void finish_answers(const finish_list& list, dtype input, const any_state& state) {
  auto first = status_code::ok;
  for (int i = 0; i < list.size; ++i) {
    const finish_item& each = list.answers[i];
    if (!is_known(each.to)) std::abort();
    const auto done =
        round_state(each.op, state, {input, list.nan, double(list.correction)}, each.to, each.type);
    if (first == status_code::ok) first = done.code();
  }
  if (list.size == 0 || list.status == nullptr) return;
  if (list.is_first || *list.status == 0) *list.status = int(first);
}

// The words of the CPU's state; all memory must be the device's, and the workspace zero. Small
// arrays have neither workspace nor words.
void run_kernel(whole_request request, grid_shape grid, void* workspace, std::int64_t* words) {
  if (request.finish.count != nullptr)
    request.n = std::clamp<std::int64_t>(*request.finish.count, 0, request.n);
  const bool there = request.n == 0 || is_known(request.x);
  if (!there || needs_memory(request, grid) == (workspace == nullptr)) std::abort();
  if (workspace != nullptr && !all_zero(workspace)) std::abort();
  const bool answers = request.finish.size > 0;
  if (answers != (words == nullptr) || (!answers && !is_known(words))) std::abort();
  const any_state made = state_of(request);
  if (!answers) write_words(made, words);
  finish_answers(request.finish, request.input, made);
}

int launch(const whole_request& request, grid_shape grid, void* workspace, std::int64_t* words,
           void* stream) {
  return int(enqueue(stream, [=] { run_kernel(request, grid, workspace, words); }));
}

int launch_in_window(const whole_request& request, grid_shape grid, void* stream) {
  return launch(request, grid, nullptr, nullptr, stream);
}

constexpr whole_entry fake_whole = {fake_workspace_bytes, usual_threads, usual_blocks_each, launch};

// The answers of a launch of any plan, from the words of their pieces.
void finish_strided(const strided_request& request, std::int64_t k) {
  finish_list list = request.finish;
  for (int i = 0; i < list.size; ++i) {
    finish_item& each = list.answers[i];
    each.to = static_cast<std::byte*>(each.to) +
              (request.first_output + k) * std::int64_t(size_bytes(each.type));
  }
  const word_list words = words_of_piece(request, k);
  const std::int64_t* next = words.data();
  any_state state = empty_state(request.accumulator, request.input);
  std::visit([&]<class S>(S& known) { known = S::from_words([&] { return *next++; }); }, state);
  finish_answers(list, request.input, state);
}

// As run_kernel, for a launch of any plan.
void run_strided(const strided_request& request, std::int64_t* words) {
  for (const std::byte* each : {request.x, request.y, request.mask})
    if (each != nullptr && !is_known(each)) std::abort();
  for (std::int64_t k = 0; request.finish.size > 0 && k < request.outputs; ++k)
    finish_strided(request, k);
  if (request.finish.size > 0) return;
  if (!is_known(words)) std::abort();
  for (std::int64_t k = 0; k < request.outputs * request.pieces; ++k) {
    const word_list state = request.shape == order::none ? words_of_piece(request, k)
                                                         : words_of_ordered_piece(request, k);
    const auto size = std::min(std::int64_t(state.size()), request.state_words);
    std::copy_n(state.begin(), size, words + k * request.state_words);
  }
}

int launch(const strided_request& request, std::int64_t* words, void* stream) {
  return int(enqueue(stream, [=] { run_strided(request, words); }));
}

// The answers are those of the first launch, or of the second, which reads what the first wrote.
// The last one leaves nothing that a first one could have written.
template <class Columns>
void run_columns(const Columns& columns, bool begins, bool joins, bool ends) {
  if (columns.joins()) {
    const std::int64_t last = workspace_words_of(columns) - 1;
    if (!is_known(columns.partials) || !is_known(columns.partials + last)) std::abort();
    if (begins == (columns.partials[0] == last && columns.partials[last] == last)) std::abort();
    columns.partials[0] = columns.partials[last] = ends ? -1 : last;
    if (!joins) return;
  }
  strided_request whole = columns.request;
  whole.pieces = 1, whole.piece_items = whole.items;
  for (std::int64_t k = 0; k < whole.outputs; ++k) finish_strided(whole, k);
}

// Chunk after chunk, by the CPU's tasks.
void run_chunks(const whole_request& request, std::int64_t* words) {
  const auto item = std::int64_t(size_bytes(request.input));
  if (!is_known(request.x) || !is_known(words)) std::abort();
  for (std::int64_t first = 0; first < request.n; first += tuning::chunk_items) {
    const auto at = [&](const void* data) {
      return data == nullptr ? data : static_cast<const char*>(data) + first * item;
    };
    const auto n = std::min(request.n - first, tuning::chunk_items);
    const auto made =
        onefold::test::kernel_words(request.accumulator, request.input, at(request.x), n);
    words = std::copy(made.begin(), made.end(), words);
  }
}

ordered_entry fake_chunks(accumulator kind, int product_words) {
  const auto launch = [](const whole_request& request, unsigned, std::int64_t* to, void* stream) {
    return int(enqueue(stream, [=] { run_chunks(request, to); }));
  };
  if (kind == accumulator::product) return {product_words, launch};
  return {};
}

// The workspace is used up to its last byte, and not given back as it was.
void run_batched(const batched_request& request, const batched_block& block, void* workspace) {
  if (!is_known(block.x) || !is_known(block.out)) std::abort();
  const std::size_t bytes = batched_workspace_bytes(request, block);
  if (bytes > 0) std::memset(workspace, 0xA5, bytes);
  const auto width = std::int64_t(size_bytes(request.input));
  const column_places& at = block.places;
  axis_list axes = {{block.across, block.outer * block.n * width}, {block.n, width}};
  std::vector<std::int64_t> left;
  if (block.inner > 1) {
    axes = {{block.across, at.across * width}, {block.n, at.row * width}};
    for (int a = 0; a < at.axes; ++a) {
      axes.push_back({at.extents[a], at.outer[a] * width});
      left.push_back(at.extents[a]);
    }
    axes.push_back({block.inner, at.inner * width}), left.push_back(block.inner);
  } else {
    axes.push_back({block.outer, block.n * width}), left.push_back(block.outer);
  }
  const array_view x(block.x, request.input, axes);
  const output_view out(block.out, request.output,
                        row_major(left, std::int64_t(size_bytes(request.output))));
  options how;
  how.axes = {0, 1};
  how.accuracy = request.accuracy;
  if (!reduce(executor::cpu{}, request.op, {x}, out, how)) std::abort();
}

int launch_rows_and_columns(const batched_request& request, const batched_block& block,
                            void* workspace, void*, void* stream) {
  return int(enqueue(stream, [=] { run_batched(request, block, workspace); }));
}

void normalize_rows(const rms_norm_rows& rows) {
  const auto item = std::int64_t(size_bytes(rows.type));
  const dtype weights = rows.float_weight ? dtype::f32 : rows.type;
  rms_norm_options options = {.eps = rows.eps, .inverse = rows.inverse};
  if (rows.weight != nullptr)
    options.weight =
        array_view(rows.weight, weights, {{rows.n, std::int64_t(size_bytes(weights))}});
  const array_view x(rows.x, rows.type, {{rows.rows, rows.stride * item}, {rows.n, item}});
  if (rows.addend == nullptr) {
    if (!onefold::rms_norm(executor::cpu{1}, x, rows.y, options)) std::abort();
    return;
  }
  const array_view addend(rows.addend, rows.type,
                          {{rows.rows, rows.addend_stride * item}, {rows.n, item}});
  if (!onefold::add_rms_norm(executor::cpu{1}, x, addend, rows.sum, rows.y, options)) std::abort();
}

void gradients_of_rows(const gradient_launch& launch) {
  const norm_gradients& rows = launch.rows;
  const auto item = std::int64_t(size_bytes(rows.type));
  const dtype weights = rows.float_weight ? dtype::f32 : rows.type;
  const auto view = [&](const void* data, std::int64_t stride) {
    return array_view(data, rows.type, {{rows.rows, stride * item}, {rows.n, item}});
  };
  std::optional<array_view> weight;
  if (rows.weight != nullptr)
    weight = array_view(rows.weight, weights, {{rows.n, std::int64_t(size_bytes(weights))}});
  // What the kernels leave for each other.
  std::memset(launch.partials, 0x5A, launch.partials_bytes());
  std::memset(launch.ambiguous, 0x5A, launch.ambiguous_bytes());
  const array_view x = view(rows.x, rows.stride), g = view(rows.g, rows.g_stride);
  if (!rows.centred) {
    const rms_norm_backward_options options = {
        .weight = weight, .inverse = rows.inverse, .dweight = rows.dweight};
    if (!onefold::rms_norm_backward(executor::cpu{1}, x, g, rows.dx, options)) std::abort();
    return;
  }
  const layer_norm_backward_options options = {.weight = weight,
                                               .bias_type = weights,
                                               .mean = rows.mean,
                                               .inverse = rows.inverse,
                                               .dweight = rows.dweight,
                                               .dbias = rows.dbias};
  if (!onefold::layer_norm_backward(executor::cpu{1}, x, g, rows.dx, options)) std::abort();
}

// Of states as they are on the device.
status softmax_of_parts(const softmax_launch& launch, const array_view& x) {
  const softmax_rows& rows = launch.rows;
  std::vector<state> whole(std::size_t(rows.rows), state(op::logsumexp, rows.type));
  for (std::size_t row = 0; row < whole.size(); ++row) {
    const std::int64_t* word = launch.whole[row].words;
    detail::state_access::known(whole[row]) =
        detail::exponential_sum<float>::from_words([&word] { return *word++; });
  }
  const auto call = rows.logarithm ? onefold::log_softmax_part : onefold::softmax_part;
  return call(executor::cpu{1}, x, rows.y, whole, {});
}

void softmax_of_rows(const softmax_launch& launch) {
  const softmax_rows& rows = launch.rows;
  const auto item = std::int64_t(size_bytes(rows.type));
  const array_view x(rows.x, rows.type, {{rows.rows, rows.stride * item}, {rows.n, item}});
  const auto call = rows.logarithm ? onefold::log_softmax : onefold::softmax;
  const status done =
      launch.whole != nullptr ? softmax_of_parts(launch, x) : call(executor::cpu{1}, x, rows.y, {});
  if (!done) std::abort();
}

void softmax_gradients_of_rows(const softmax_gradients& rows) {
  const auto item = std::int64_t(size_bytes(rows.type));
  const auto view = [&](const void* data, std::int64_t stride) {
    return array_view(data, rows.type, {{rows.rows, stride * item}, {rows.n, item}});
  };
  const auto call = rows.logarithm ? log_softmax_backward : onefold::softmax_backward;
  if (!call(executor::cpu{1}, view(rows.y, rows.stride), view(rows.g, rows.g_stride), rows.dx, {}))
    std::abort();
}

array_view view_of(const class_rows& rows) {
  const auto item = std::int64_t(size_bytes(rows.type));
  return {rows.x, rows.type, {{rows.rows, rows.stride * item}, {rows.n, item}}};
}
void losses_of_rows(const class_losses& rows) {
  const cross_entropy_options options = {.ignore_index = rows.ignore_index, .totals = rows.totals};
  if (!onefold::cross_entropy(executor::cpu{1}, view_of(rows), rows.targets, rows.losses, options))
    std::abort();
}
void gradients_of_losses(const class_gradients& rows) {
  if (!onefold::cross_entropy_backward(
          executor::cpu{1}, view_of(rows), rows.targets, rows.scales, rows.totals, rows.dx,
          {.ignore_index = rows.ignore_index, .label_smoothing = rows.smoothing * double(rows.n)}))
    std::abort();
}

class_weight_options weights_of(const class_weights& rows) {
  class_weight_options made = {.ignore_index = rows.ignore_index};
  if (rows.weights != nullptr) {
    const axis_list axes = {{rows.classes, std::int64_t(size_bytes(rows.type))}};
    made.weights = array_view(rows.weights, rows.type, axes);
  }
  return made;
}
void reduce_losses_of(const loss_sums& rows) {
  if (!onefold::reduce_losses(executor::cpu{1}, rows.losses, rows.targets, rows.rows,
                              rows.reduction, rows.result, rows.result_type, rows.divisor,
                              weights_of(rows)))
    std::abort();
}
void scales_of(const row_scales& rows) {
  axis_list axes;
  if (rows.of_rows) axes = {{rows.rows, std::int64_t(size_bytes(rows.g_type))}};
  if (!onefold::loss_scales(executor::cpu{1}, array_view(rows.g, rows.g_type, axes), rows.divisor,
                            rows.targets, rows.rows, rows.scales, weights_of(rows)))
    std::abort();
}

void copy_matrix(const matrix_copy& copy) {
  if (!is_known(copy.from) || !is_known(copy.to)) std::abort();
  for (std::int64_t r = 0; r < copy.rows; ++r)
    for (std::int64_t c = 0; c < copy.columns; ++c)
      std::memcpy(copy.to + r * copy.to_row + c * copy.to_column,
                  copy.from + r * copy.from_row + c * copy.from_column,
                  std::size_t(copy.item_bytes));
}

// Unit after unit; the first and the last one of both sides are the device's.
void gather(const gather_launch& launch) {
  std::vector<gather_axis> axes(launch.outer_axis, launch.outer_axis + launch.outer);
  const std::int64_t planes = launch.inner / launch.extent[0].value() / launch.extent[1].value();
  axes.push_back({planes, launch.from_bytes[2]});
  for (int i : {1, 0}) axes.push_back({launch.extent[i].value(), launch.from_bytes[i]});
  std::int64_t units = 1;
  for (const gather_axis& axis : axes) units *= axis.extent;
  for (std::int64_t k = 0; k < units; ++k) {
    const std::byte* from = launch.from;
    std::int64_t rest = k;
    for (auto axis = axes.rbegin(); axis != axes.rend(); rest /= axis++->extent)
      from += rest % axis->extent * axis->from_bytes;
    std::byte* const to = launch.to + k * launch.unit_bytes;
    if (!is_known(from) || !is_known(to)) std::abort();
    std::memcpy(to, from, launch.unit_bytes);
  }
}

}  // namespace
}  // namespace onefold::cuda::test

namespace onefold::cuda {

batched_launcher batched_totals(dtype) {
  return test::launch_rows_and_columns;
}
batched_launcher batched_magnitudes(dtype) {
  return test::launch_rows_and_columns;
}
batched_launcher batched_squares(dtype) {
  return test::launch_rows_and_columns;
}
batched_launcher batched_integer_totals(dtype) {
  return test::launch_rows_and_columns;
}
int launch_transpose(const transpose_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { test::copy_matrix(launch.copy); }));
}
int launch_gather(const gather_launch& launch, unsigned, void* stream) {
  return int(test::enqueue(stream, [=] { test::gather(launch); }));
}
int launch_rms_norm(const rms_norm_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { test::normalize_rows(launch.rows); }));
}
int launch_gradients(const gradient_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { test::gradients_of_rows(launch); }));
}
bool softmax_has_clusters(const softmax_rows&) {
  return true;
}
int launch_softmax(const softmax_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { test::softmax_of_rows(launch); }));
}
bool softmax_gradients_have_clusters(const softmax_gradients&) {
  return true;
}
int launch_softmax_gradients(const softmax_gradient_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { test::softmax_gradients_of_rows(launch.rows); }));
}
int launch_losses(const loss_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { test::losses_of_rows(launch.classes); }));
}
int launch_class_gradients(const class_gradient_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { test::gradients_of_losses(launch.rows); }));
}
int launch_loss_sums(const loss_sum_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { test::reduce_losses_of(launch.rows); }));
}
int launch_scales(const row_scales& rows, void* stream) {
  return int(test::enqueue(stream, [=] { test::scales_of(rows); }));
}
unsigned find_window_blocks() {
  return most_window_blocks;
}
int launch_window(const whole_request& request, grid_shape grid, void* stream) {
  return test::launch_in_window(request, grid, stream);
}
whole_entry floating_entry(accumulator kind, dtype, sum_lanes) {
  return kind <= accumulator::moments ? test::fake_whole : whole_entry();
}
whole_entry integer_entry(accumulator kind, dtype) {
  return kind <= accumulator::moments ? test::fake_whole : whole_entry();
}
whole_entry moments_entry(dtype) {
  return test::fake_whole;
}
whole_entry exponentials_entry(dtype) {
  return test::fake_whole;
}
whole_entry selection_entry(accumulator kind, dtype input) {
  return kind == accumulator::bits && is_floating(input) ? whole_entry() : test::fake_whole;
}
int launch_strided_floats(const strided_request& request, unsigned, std::int64_t* words,
                          void* stream) {
  return test::launch(request, words, stream);
}
int launch_strided_ordered(const strided_request& request, unsigned, std::int64_t* words,
                           void* stream) {
  return test::launch(request, words, stream);
}
int launch_strided_folds(const strided_request& request, unsigned, std::int64_t* words,
                         void* stream) {
  return test::launch(request, words, stream);
}
int launch_strided_moments(const strided_request& request, unsigned, void* stream) {
  return test::launch(request, static_cast<std::int64_t*>(nullptr), stream);
}
int launch_strided_exponentials(const strided_request& request, unsigned, std::int64_t* words,
                                void* stream) {
  return test::launch(request, words, stream);
}
int launch_moments_of_columns(const moment_columns& columns, unsigned, void* stream) {
  using enum column_step;
  const bool ends = columns.step == (columns.shares ? exact : join);
  return int(test::enqueue(stream, [=] {
    test::run_columns(columns, columns.step == parts, columns.step == join, ends);
  }));
}
int launch_exponentials_of_columns(const exponential_columns& columns, unsigned, void* stream) {
  using enum exponential_step;
  const bool ends = columns.step == (columns.shares ? sums : join);
  return int(test::enqueue(stream, [=] {
    test::run_columns(columns, columns.step == parts, columns.step == join, ends);
  }));
}
ordered_entry ordered_float_entry(accumulator kind, dtype) {
  return test::fake_chunks(kind, 5);
}
ordered_entry ordered_integer_entry(accumulator kind, dtype) {
  return test::fake_chunks(kind, 2);
}

}  // namespace onefold::cuda
