// SPDX-License-Identifier: Apache-2.0
// Segments of every length, keys that ascend and keys in any order, matrices that every kernel
// turns, states and elements that ranks exchange.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/every/compare.hpp"
#include "cuda/every/requests.hpp"
#include "cuda/kernels/keys/scatter/scatter_launch.hpp"
#include "cuda/kernels/ranks/additive.hpp"
#include "cuda/kernels/ranks/rank_extrema.hpp"
#include "cuda/kernels/ranks/shares.hpp"
#include "onefold/collective.hpp"
#include "onefold/detail/additive.hpp"
#include "onefold/keys.hpp"
#include "onefold/scatter.hpp"
#include "onefold/segments.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

bool any_type(dtype) {
  return true;
}
bool has_keys(dtype type) {
  return !is_floating(type);
}
bool is_float(dtype type) {
  return is_floating(type);
}
bool has_matrices(dtype type) {
  return type >= dtype::u8 && type <= dtype::u64;
}

std::string text_of(const char* group, op op, dtype type) {
  return std::string(group) + ": " + std::string(name(op)) + " of " + std::string(name(type)) +
         ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
}

axis_list answers_at(std::int64_t count, op op, dtype output) {
  const auto item = std::int64_t(size_bytes(output)), each = std::int64_t(answers_of(op));
  return each > 1 ? axis_list{{count, each * item}, {each, item}} : axis_list{{count, item}};
}

// Empty, short and long ones, and one of several blocks.
std::vector<std::int64_t> offsets_of(op operation, random_source& random) {
  std::vector<std::int64_t> offsets = {1};
  const bool empty = operation != op::min && operation != op::max && operation != op::minmax &&
                     operation != op::argmin && operation != op::argmax;
  for (int k = 0; k < 120; ++k)
    offsets.push_back(offsets.back() + (k == 50 ? 6000 : random.between(empty ? 0 : 1, 70)));
  return offsets;
}

void ask_segment(op op, dtype type, values kind, random_source& random) {
  const auto offsets = offsets_of(op, random);
  const std::int64_t n = offsets.back() + 3, count = std::int64_t(offsets.size()) - 1;
  const byte_list x = elements_of(type, n, kind, random);
  const dtype output = default_output(op, type);
  byte_list wanted(std::size_t(count * answers_of(op)) * size_bytes(output));
  const device_bytes there(x, size_bytes(type)), limits(offsets), out(wanted);
  const axis_list places = answers_at(count, op, output);
  const status gpu = reduce_segments(
      executor::cuda{}, op, array_view(there.data(), type, line(n, type)),
      std::span<const std::int64_t>(limits.as<const std::int64_t>(), offsets.size()),
      output_view(out.data(), output, places));
  if (!kernels_compute || gpu.code() == status_code::unsupported) return;
  const status cpu =
      reduce_segments(executor::cpu{1}, op, array_view(x.data(), type, line(n, type)), offsets,
                      output_view(wanted.data(), output, places));
  EXPECT_EQ(gpu.code(), cpu.code()) << text_of("segments", op, type) << gpu.message();
  if (!cpu.ok()) return;
  EXPECT_TRUE(out.get() == wanted) << text_of("segments", op, type);
}

void ask_segments(dtype type) {
  random_source random = source_of(520, std::uint64_t(type));
  for (const op op : all_ops) {
    if (!has_answers(op, type) || inputs_of(op) == 2) continue;
    ask_segment(op, type, values::tame, random);
    if (is_floating(type)) ask_segment(op, type, values::any_bits, random);
  }
  for (const op op : {op::sum, op::mean}) ask_segment(op, type, values::cancelling, random);
}

struct groups_told {
  status done;
  std::int64_t groups = 0;
  byte_list keys, answers;
};

struct keyed_request {
  onefold::op op;
  dtype key_type, type;
  byte_list keys, x;

  std::int64_t n() const { return std::int64_t(keys.size() / size_bytes(key_type)); }
  dtype output() const { return default_output(op, type); }
};

groups_told on_cpu(const keyed_request& request) {
  groups_told made;
  made.done = reduce_by_key(
      executor::cpu{1}, request.op,
      array_view(request.keys.data(), request.key_type, line(request.n(), request.key_type)),
      array_view(request.x.data(), request.type, line(request.n(), request.type)),
      [&](std::int64_t count) {
        made.keys.resize(std::size_t(count) * size_bytes(request.key_type));
        made.answers.resize(std::size_t(count) * size_bytes(request.output()));
        return group_outputs{made.keys.data(),
                             {made.answers.data(), request.output(),
                              answers_at(count, request.op, request.output())}};
      });
  return made;
}

groups_told on_gpu(const keyed_request& request) {
  groups_told made;
  const device_bytes there(request.keys, size_bytes(request.key_type)),
      values(request.x, size_bytes(request.type)), left(request.keys.size()),
      out(std::size_t(request.n()) * 8);
  made.done =
      reduce_by_key(executor::cuda{}, request.op,
                    array_view(there.data(), request.key_type, line(request.n(), request.key_type)),
                    array_view(values.data(), request.type, line(request.n(), request.type)),
                    [&](std::int64_t count) {
                      made.groups = count;
                      return group_outputs{left.data(),
                                           {out.data(), request.output(),
                                            answers_at(count, request.op, request.output())}};
                    });
  made.keys = left.get<unsigned char>(std::size_t(made.groups) * size_bytes(request.key_type));
  made.answers = out.get<unsigned char>(std::size_t(made.groups) * size_bytes(request.output()));
  return made;
}

void ask_keyed(const keyed_request& request) {
  const groups_told gpu = on_gpu(request);
  if (!kernels_compute) return;
  const groups_told cpu = on_cpu(request);
  EXPECT_EQ(gpu.done.code(), cpu.done.code()) << text_of("keys", request.op, request.type);
  EXPECT_TRUE(gpu.keys == cpu.keys && gpu.answers == cpu.answers)
      << text_of("keys", request.op, request.type) << ", keys of " << name(request.key_type);
}

// Few keys sort in one tile, more in several passes; floats are added in a table where their
// exponents and the keys lie close together.
void ask_keys(dtype type) {
  random_source random = source_of(521, std::uint64_t(type));
  for (const std::int64_t n : {500, 9000}) {
    byte_list keys = elements_of(type, n, values::tame, random);
    if (type == dtype::boolean)
      for (auto& key : keys) key &= 1;
    const auto ask = [&](op op, dtype element, values kind) {
      ask_keyed({op, type, element, keys, elements_of(element, n, kind, random)});
    };
    for (const op op : {op::sum, op::argmax}) ask(op, dtype::i32, values::any_bits);
    for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
      for (const values kind : {values::tame, values::any_bits}) ask(op::sum, type, kind);
    ask(op::mean, dtype::f32, values::tame);
  }
}

struct scatter_memory {
  const void *x, *list, *initial;
  void* out;
};
// Means of lists, or sums of segments; both have a long answer.
status ask_scatter(const executor& on, dtype type, std::int64_t rows, std::int64_t n,
                   std::int64_t answers, bool segments, const scatter_memory& at) {
  const auto item = std::int64_t(size_bytes(type));
  const axis_list row = {{rows, n * item}, {n, item}}, answer = {{answers, n * item}, {n, item}};
  scatter_options options;
  options.initial = array_view(at.initial, type, answer);
  const std::int64_t count = segments ? answers + 1 : rows;
  const array_view list(at.list, dtype::i64, {{count, 8}});
  if (segments)
    return segment_rows(on, op::sum, array_view(at.x, type, row), list, at.out, options);
  return scatter_rows(on, op::mean, array_view(at.x, type, row), list, at.out, answers, options);
}

void ask_scatters(dtype type) {
  random_source random = source_of(527, std::uint64_t(type));
  constexpr std::int64_t answers = 40;
  for (const std::int64_t n : {1, 3, 64})  // 1: in a table, but for segments
    for (const values kind : {values::tame, values::any_bits, values::cancelling})
      for (const bool segments : {false, true}) {
        const std::int64_t rows = n == 1 ? cuda::table_rows : 2000;
        const byte_list x = elements_of(type, rows * n, kind, random);
        const byte_list first = elements_of(type, answers * n, kind, random);
        std::vector<std::int64_t> list;
        for (std::int64_t i = 0; i < (segments ? answers + 1 : rows); ++i)
          list.push_back(random.below(std::uint64_t(segments ? rows / 2 : 2 * answers)));
        for (auto& key : list)
          if (!segments && key >= answers) key = 7;
        std::sort(list.begin(), segments ? list.end() : list.begin());
        if (segments) list.back() = rows;
        byte_list wanted(first.size());
        const device_bytes there(x), lists(list), initial(first), out(wanted);
        const status done = ask_scatter(executor::cuda{}, type, rows, n, answers, segments,
                                        {there.data(), lists.data(), initial.data(), out.data()});
        EXPECT_TRUE(done.ok()) << done.message();
        if (!kernels_compute) continue;
        EXPECT_TRUE(ask_scatter(executor::cpu{1}, type, rows, n, answers, segments,
                                {x.data(), list.data(), first.data(), wanted.data()})
                        .ok());
        EXPECT_TRUE(out.get() == wanted) << text_of("rows by key", op::sum, type);
      }
}

struct matrix {
  std::int64_t rows, columns;
  std::size_t shift;
  std::int64_t gap = 0;  ///< elements between rows
};

void ask_matrices(dtype type) {
  random_source random = source_of(522, std::uint64_t(type));
  const auto item = std::int64_t(size_bytes(type));
  const matrix shapes[] = {
      {160, 320, 0},   // by vectors
      {161, 303, 0},   // by words
      {700, 3, 0},     // short rows
      {3, 700, 0},     // short columns
      {150, 2, 0, 5},  // rows with gaps: element by element
      {700, 3, 1},     // the same, off a multiple of their size but for bytes
  };
  for (const matrix& given : shapes) {
    const std::int64_t row = given.columns + given.gap;
    const byte_list from = elements_of(type, given.rows * row, values::any_bits, random);
    byte_list wanted(std::size_t(given.rows * given.columns * item));
    const axis_list axes = {{given.rows, row * item}, {given.columns, item}};
    const axis_list turned = {{given.columns, given.rows * item}, {given.rows, item}};
    const device_bytes there(from, given.shift), out(wanted, given.shift);
    const status done =
        transpose(executor::cuda{}, array_view(there.data(), type, axes), out.data(), turned);
    EXPECT_TRUE(done.ok()) << done.message();
    if (!kernels_compute) continue;
    EXPECT_TRUE(
        transpose(executor::cpu{1}, array_view(from.data(), type, axes), wanted.data(), turned)
            .ok());
    EXPECT_TRUE(out.get() == wanted)
        << given.rows << " x " << given.columns << " of " << name(type);
  }
}

// The state of the elements, as a rank makes it and rounds it again.
void ask_shared_state(op op, dtype type, random_source& random) {
  const std::int64_t n = 40;
  const byte_list x = elements_of(type, n, values::tame, random);
  const array_view elements(x.data(), type, line(n, type));
  const state own = inputs_of(op) == 2 ? partial(op, {elements, elements}) : partial(op, elements);
  const std::vector<std::int64_t> group(std::size_t(additive_word_count(op, type)));
  std::vector<std::int64_t> words;
  std::visit(
      [&](const auto& known) {
        if constexpr (requires { known.for_each_word([](std::int64_t) {}); })
          known.for_each_word([&](std::int64_t word) { words.push_back(word); });
      },
      onefold::detail::state_access::known(own));
  const dtype output = default_output(op, type);
  byte_list wanted(size_bytes(output));
  const device_bytes from(words), answer(wanted), groups(group);
  const device_bytes bands(std::vector<std::int64_t>(1));
  group_request request = {
      accumulator_of(op), type, onefold::detail::additive_signature(op, type), 1, {}};
  request.finish.size = 1, request.finish.answers[0] = {answer.data(), op, output};
  auto* const there = groups.as<std::int64_t>();
  std::int64_t* const band = has_bands(request.accumulator) ? bands.as<std::int64_t>() : nullptr;
  if (band != nullptr) {
    EXPECT_EQ(launch_write_group_bands(request, from.as<const std::int64_t>(), 1, band, nullptr),
              0);
  }
  EXPECT_EQ(launch_write_groups(request, from.as<const std::int64_t>(), 1, band, there, nullptr),
            0);
  EXPECT_EQ(launch_round_groups(request, there, nullptr), 0);
  if (!kernels_compute) return;
  EXPECT_TRUE(own.write(wanted.data(), output).ok()) << text_of("shared states", op, type);
  EXPECT_TRUE(answer.get() == wanted) << text_of("shared states", op, type);
}

void ask_shared_states(dtype type) {
  random_source random = source_of(524, std::uint64_t(type));
  for (const op op : all_ops)
    if (has_answers(op, type) && additive_word_count(op, type) > 0)
      ask_shared_state(op, type, random);
}

// The extrema of one rank, whose words are those of all.
void ask_shared_extrema(dtype type) {
  random_source random = source_of(526, std::uint64_t(type));
  const std::int64_t n = 40;
  const byte_list x = elements_of(type, n, values::tame, random);
  const state own = partial(op::argmax, array_view(x.data(), type, line(n, type)));
  std::vector<std::int64_t> words;
  std::get<onefold::detail::extrema>(onefold::detail::state_access::known(own))
      .for_each_word([&](std::int64_t word) { words.push_back(word); });
  extrema_request request = {
      type, onefold::detail::additive_signature(op::argmax, type), 1, 1, 0, true, {}};
  const device_bytes from(words), answer(std::vector<std::int64_t>(1));
  const device_bytes merged(std::vector<onefold::detail::extrema>(1));
  const device_bytes keys(std::vector<std::int64_t>(std::size_t(key_words(request))));
  const device_bytes positions(std::vector<std::int64_t>(std::size_t(position_words(request))));
  request.finish.size = 1, request.finish.answers[0] = {answer.data(), op::argmax, dtype::i64};
  const extrema_words to = {merged.as<onefold::detail::extrema>(), keys.as<std::int64_t>(),
                            positions.as<std::int64_t>()};
  EXPECT_EQ(launch_write_extrema_keys(request, from.as<const std::int64_t>(), 1, to, nullptr), 0);
  EXPECT_EQ(launch_write_extrema_positions(request, to, nullptr), 0);
  EXPECT_EQ(launch_round_extrema(request, to, nullptr), 0);
  if (!kernels_compute) return;
  std::int64_t wanted = -1;
  EXPECT_TRUE(own.write(&wanted, dtype::i64).ok());
  EXPECT_EQ(answer.get<std::int64_t>()[0], wanted) << text_of("extrema", op::argmax, type);
}

// Shares of three ranks, of whole vectors and of some elements more.
void ask_shares(dtype type) {
  random_source random = source_of(525, std::uint64_t(type));
  constexpr std::int64_t ranks = 3;
  const auto item = std::int64_t(size_bytes(type));
  for (const std::int64_t n : {512, 77})
    for (const bool mean : {false, true}) {
      const byte_list rows = elements_of(type, ranks * n, values::tame, random);
      const byte_list block(rows.begin() + n * item, rows.begin() + 2 * n * item);
      const device_bytes own(block), there(rows);
      const shares_request request = {type, mean, own.data(), there.data(), n, int(ranks), 1};
      EXPECT_EQ(launch_reduce_shares(request, nullptr), 0);
      if (!kernels_compute) continue;
      byte_list wanted(block.size());
      options down;
      down.axes = axis(0);
      EXPECT_TRUE(reduce(executor::cpu{}, mean ? op::mean : op::sum,
                         {array_view(rows.data(), type, {{ranks, n * item}, {n, item}})},
                         output_view(wanted.data(), type, {{n, item}}), down)
                      .ok());
      EXPECT_TRUE(own.get() == wanted) << text_of("shares", op::sum, type);
    }
}

}  // namespace

std::span<const request_group> other_requests() {
  static constexpr request_group groups[] = {{"segments", any_type, ask_segments},
                                             {"keys", has_keys, ask_keys},
                                             {"scatters", is_float, ask_scatters},
                                             {"matrices", has_matrices, ask_matrices},
                                             {"shared_states", any_type, ask_shared_states},
                                             {"shared_extrema", any_type, ask_shared_extrema},
                                             {"shares", is_float, ask_shares}};
  return groups;
}

}  // namespace onefold::cuda::test
