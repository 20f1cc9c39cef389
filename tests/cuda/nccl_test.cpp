// SPDX-License-Identifier: Apache-2.0
// The host side of exact all-reduces, over a runtime and an NCCL without devices: the answers are
// those of one process, nobody waits, captures hold it, failures of any call are told.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "collective/parts.hpp"
#include "cuda/device_test.hpp"
#include "cuda/fake_nccl.hpp"
#include "cuda/fake_runtime.hpp"
#include "onefold/nccl.hpp"
#include "onefold/onefold.hpp"
#include "state/element_types.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::add_words;
using onefold::test::any_elements;
using onefold::test::combine;
using onefold::test::highest_band;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;
using onefold::test::word_group;

const executor::cuda gpu;

/// What a call writes: some answers and a status.
struct results {
  device_bytes answers{std::vector<double>(16)};
  device_bytes code{std::vector<std::int32_t>(2)};
  output_view output(dtype type, const axis_list& axes = {}) const {
    return {answers.data(), type, axes};
  }
};

// The groups of ranks whose calls have this NaN policy, which is a part of the signature there.
word_group under(nan_policy policy, word_group words) {
  const std::int64_t signature = words[1] / words[0] + (std::int64_t(policy) * 9 << 10);
  words[1] = words[0] * signature, words[2] = words[1] * signature;
  return words;
}

// The first part of a random array is this rank's; the words of the rest come from the others.
template <class T>
void expect_one_process(random_source& random, op operation) {
  const dtype type = dtype_of<T>, output = default_output(operation, type);
  const auto x = any_elements<T>(random, 3000);
  const std::size_t cut = random.one_in(4) ? 0 : random.below(x.size() + 1);
  const auto part = [&](const void* at, std::size_t first, std::size_t last) {
    return array_view(static_cast<const T*>(at) + first, type,
                      {{std::int64_t(last - first), std::int64_t(sizeof(T))}});
  };
  const device_bytes there(x);
  ncclComm comm;
  comm.ranks = 3;
  const std::size_t middle = cut + random.below(x.size() - cut + 1);
  std::vector<state> states;
  for (const auto& [first, last] :
       {std::pair(cut, middle), std::pair(middle, x.size()), std::pair(std::size_t(0), cut)}) {
    const array_view view = part(x.data(), first, last);
    states.push_back(operation == op::dot ? partial(operation, {view, view})
                                          : partial(operation, view));
  }
  const std::int64_t band = highest_band(states);
  states.pop_back();
  word_group others(std::size_t(additive_word_count(operation, type)));
  for (const state& each : states) combine(others, to_additive(each, band), add_words);
  options how;
  const results got;
  how.status_out = got.code.as<std::int32_t>();
  how.nan_policy = nan_policy(random.below(3));
  if (operation == op::logsumexp) comm.words.push_back({highest_band(states)});
  comm.words.push_back(under(how.nan_policy, others));
  const array_view first_part = part(there.data(), 0, cut), whole = part(x.data(), 0, x.size());
  const status done =
      operation == op::dot
          ? nccl::all_reduce(gpu, operation, {first_part, first_part}, {got.output(output)}, &comm,
                             how)
          : nccl::all_reduce(gpu, operation, first_part, got.output(output), &comm, how);
  const std::string said = std::string(name(operation)) + " of " + std::string(name(type)) +
                           ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
  ASSERT_TRUE(done.ok()) << done.message() << said;
  std::vector<unsigned char> wanted(size_bytes(output));
  options own = how;
  own.status_out = nullptr;
  const output_view to(wanted.data(), output);
  const status expected =
      operation == op::dot ? reduce(executor::cpu{1}, op_list(operation), {whole, whole}, {to}, own)
                           : reduce(executor::cpu{1}, op_list(operation), {whole}, {to}, own);
  EXPECT_EQ(got.code.get<std::int32_t>()[0], int(expected.code())) << said;
  if (!expected.ok()) return;
  EXPECT_EQ(got.answers.get<unsigned char>(wanted.size()), wanted) << said;
}

template <class T>
void expect_all_operators() {
  random_source random = source_of(61, std::uint64_t(dtype_of<T>));
  for (const op op : all_ops)
    for (int repeat = 0; repeat < 3; ++repeat)
      if (check_element_type(op, dtype_of<T>) && additive_word_count(op, dtype_of<T>) > 0)
        expect_one_process<T>(random, op);
}

TEST(cuda_nccl, the_answers_are_those_of_one_process) {
  expect_all_operators<float>(), expect_all_operators<double>(), expect_all_operators<bf16>();
  expect_all_operators<std::int32_t>(), expect_all_operators<std::uint64_t>();
}

// x[rows][n] and x[n][columns], of which this rank has the first half of n.
void expect_several_answers(op operation, bool rows) {
  random_source random = source_of(62, std::uint64_t(rows));
  const std::int64_t answers = 5, n = 9000, half = n / 2;
  std::vector<float> x(std::size_t(answers * n));
  for (float& each : x)
    each = onefold::test::any_of_exponent<float>(random, random.between(-9, 11));
  const auto view = [&](const void* at, std::int64_t first, std::int64_t count) {
    const auto* const from = static_cast<const float*>(at);
    return rows ? array_view(from + first, dtype::f32, {{answers, n * 4}, {count, 4}})
                : array_view(from + first * answers, dtype::f32,
                             {{count, answers * 4}, {answers, 4}});
  };
  const device_bytes there(x);
  ncclComm comm;
  comm.ranks = 2;
  word_group bands, groups;
  options how;
  how.axes = axis(rows ? 1 : 0);
  for (std::int64_t k = 0; k < answers; ++k) {
    const auto part = [&](std::int64_t first, std::int64_t count) {
      const axis_list axes = {{count, rows ? 4 : answers * 4}};
      const float* const from = x.data() + (rows ? k * n + first : first * answers + k);
      return partial(operation, array_view(from, dtype::f32, axes));
    };
    const state other = part(half, n - half);
    bands.push_back(highest_band({other}));
    const auto words = to_additive(other, highest_band({part(0, half), other}));
    groups.insert(groups.end(), words.begin(), words.end());
  }
  if (operation == op::logsumexp) comm.words.push_back(bands);
  comm.words.push_back(groups);
  const results got;
  const axis_list places = {{answers, 4}};
  ASSERT_TRUE(nccl::all_reduce(gpu, operation, view(there.data(), 0, half),
                               got.output(dtype::f32, places), &comm, how)
                  .ok());
  std::vector<float> wanted(std::size_t(answers), 0);
  ASSERT_TRUE(reduce(executor::cpu{1}, operation, {view(x.data(), 0, n)},
                     output_view(wanted.data(), dtype::f32, places), how)
                  .ok());
  EXPECT_EQ(got.answers.get<float>(wanted.size() * sizeof(float)), wanted);
}

TEST(cuda_nccl, rows_and_columns) {
  for (const op op : {op::mean, op::logsumexp})
    expect_several_answers(op, true), expect_several_answers(op, false);
}

/// A sum with a communicator of this rank alone.
struct alone {
  std::vector<double> x = {1e300, 1, -1e300, 2.5};
  device_bytes there{x};
  results got;
  ncclComm comm;
  array_view view() const { return {there.data(), dtype::f64, {{4, 8}}}; }
  status sum(const options& how = {}) {
    comm.reduced = 0;
    comm.words.assign(2, word_group(std::size_t(additive_word_count(op::sum, dtype::f64))));
    return nccl::all_reduce(gpu, op::sum, view(), got.output(dtype::f64), &comm, how);
  }
  double answer() const { return got.answers.get<double>()[0]; }
};

TEST(cuda_nccl, nobody_waits_and_a_capture_holds_it) {
  alone alone;
  ASSERT_TRUE(alone.sum().ok());
  EXPECT_EQ(alone.answer(), 3.5);
  const auto size =
      nccl::all_reduce_workspace_size(gpu, op::sum, {alone.view()}, {alone.got.output(dtype::f64)});
  ASSERT_TRUE(size.ok()) << size.why().message();
  const device_bytes room(*size);
  options how;
  how.workspace = {room.data(), *size};
  ASSERT_TRUE(workspace_init(gpu, room.data(), *size).ok());
  const int allocated = allocations(), waited = waits_so_far();
  capture(nullptr, true);
  const status done = alone.sum(how);
  capture(nullptr, false);
  EXPECT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(allocations(), allocated);
  EXPECT_EQ(waits_so_far(), waited);
  EXPECT_EQ(alone.answer(), 3.5);
  how.workspace.bytes = *size - 1;
  EXPECT_EQ(alone.sum(how).code(), status_code::usage);
}

TEST(cuda_nccl, every_call_may_fail_once) {
  alone alone;
  alone.comm.blocks = false;
  ASSERT_TRUE(alone.sum().ok());
  int refused = 0;
  for (const auto plant : {fail_call, fail_nccl_call})
    for (int call = 1; call < 40; ++call) {
      plant(call);
      const status done = alone.sum();
      plant(0);
      if (done.ok()) continue;
      ++refused;
      alone.comm.in_progress = 0;
      EXPECT_NE(done.message().find("; "), std::string::npos) << "no remedy";
      if (plant == fail_nccl_call) {
        EXPECT_EQ(done.code(), status_code::device_error);
        EXPECT_NE(done.message().find("a planted failure of NCCL"), std::string::npos);
      }
      ASSERT_TRUE(alone.sum().ok());
      EXPECT_EQ(alone.answer(), 3.5);
    }
  EXPECT_GT(refused, 8);
}

TEST(cuda_nccl, ranks_that_ask_for_something_else_are_told_on_the_device) {
  alone alone;
  alone.comm.words = {to_additive(partial(op::mean, alone.x))};
  options how;
  how.status_out = alone.got.code.as<std::int32_t>();
  ASSERT_TRUE(
      nccl::all_reduce(gpu, op::sum, alone.view(), alone.got.output(dtype::f64), &alone.comm, how)
          .ok());
  EXPECT_EQ(alone.got.code.get<std::int32_t>()[0], int(status_code::mismatch));
}

TEST(cuda_nccl, ranks_that_round_differently_are_told_on_the_device) {
  const auto code = [](op op, const options& given, nan_policy others) {
    alone alone;
    alone.comm.words = {under(others, to_additive(partial(op, alone.x)))};
    options how = given;
    how.status_out = alone.got.code.as<std::int32_t>();
    EXPECT_TRUE(
        nccl::all_reduce(gpu, op, alone.view(), alone.got.output(dtype::f64), &alone.comm, how)
            .ok());
    return status_code(alone.got.code.get<std::int32_t>()[0]);
  };
  for (const nan_policy own : {nan_policy::propagate, nan_policy::omit, nan_policy::error})
    for (const nan_policy other : {nan_policy::propagate, nan_policy::omit, nan_policy::error})
      EXPECT_EQ(code(op::sum, {.nan_policy = own}, other),
                own == other ? status_code::ok : status_code::mismatch);
  EXPECT_EQ(code(op::var, {.correction = -0.0}, nan_policy::propagate), status_code::ok);
  for (const double correction : {1.0, 2.0, -1.0, 4.0, 6.0})
    EXPECT_EQ(code(op::var, {.correction = correction}, nan_policy::propagate),
              status_code::mismatch);
}

void expect_refused(const status& why, status_code code, const char* says) {
  EXPECT_EQ(why.code(), code) << why.message();
  EXPECT_NE(why.message().find(says), std::string::npos) << why.message();
}

TEST(cuda_nccl, what_is_not_served_is_named) {
  alone alone;
  const output_view out = alone.got.output(dtype::f64);
  const auto ask = [&](op op, const output_view& to, const options& how = {}) {
    return nccl::all_reduce(gpu, op, alone.view(), to, &alone.comm, how);
  };
  double host = 0;
  options initial, masked, fast;
  initial.initial = 1, fast.accuracy = accuracy::fast;
  expect_refused(ask(op::max, out), status_code::unsupported, "options::status_out");
  expect_refused(ask(op::prod, out), status_code::unsupported, "prod of f64");
  expect_refused(ask(op::sum, output_view(host)), status_code::unsupported, "host memory");
  expect_refused(ask(op::sum, out, initial), status_code::unsupported, "an initial value");
  expect_refused(ask(op::count, alone.got.output(dtype::i64)), status_code::unsupported,
                 "options::status_out");
  alone.comm.device = 3;
  expect_refused(ask(op::sum, out), status_code::mismatch, "device is 3");
  expect_refused(nccl::all_reduce(gpu, op::sum, alone.view(), out, nullptr), status_code::usage,
                 "ncclCommInitRank");
  expect_refused(nccl::all_reduce_elements(gpu, op::max, {alone.there.data(), dtype::f64, {{4, 8}}},
                                           &alone.comm),
                 status_code::unsupported, "max of f64");
  expect_refused(nccl::all_reduce_elements(
                     gpu, op::sum, {alone.there.data(), dtype::f64, {{2, 16}}}, &alone.comm),
                 status_code::mismatch, "gaps");
  expect_refused(
      nccl::all_reduce_elements(gpu, op::sum, {&host, dtype::f64, {{1, 8}}}, &alone.comm),
      status_code::unsupported, "host memory");
}

// What a rank sends before it sends elements: of each part of its call x and ~x.
word_group call_of(op operation, dtype type, std::int64_t n) {
  word_group words = {INT64_MIN};
  for (const std::int64_t part : {std::int64_t(operation == op::mean), std::int64_t(type), n})
    words.push_back(part), words.push_back(~part);
  return words;
}

template <class T>
void expect_elements(random_source& random, op op, int ranks, std::size_t n,
                     std::size_t workspace) {
  const dtype type = dtype_of<T>;
  std::vector<T> all(n * std::size_t(ranks)), answers(n);
  for (T& each : all) each = onefold::test::any_of_exponent<T>(random, random.between(-8, 8));
  const auto item = std::int64_t(sizeof(T)), count = std::int64_t(n);
  options down;
  down.axes = axis(0);
  ASSERT_TRUE(reduce(executor::cpu{1}, op,
                     {array_view(all.data(), type, {{ranks, count * item}, {count, item}})},
                     output_view(answers.data(), type, {{count, item}}), down)
                  .ok());
  const auto bytes_of = [](const T* at, std::size_t count_) {
    const auto* const from = reinterpret_cast<const std::byte*>(at);
    return std::vector<std::byte>(from, from + count_ * sizeof(T));
  };
  ncclComm comm;
  comm.ranks = ranks, comm.rank = int(random.below(std::uint64_t(ranks)));
  comm.blocks = random.below(2) == 0;
  for (int k = 0; k < ranks; ++k) comm.vectors.push_back(bytes_of(&all[std::size_t(k) * n], n));
  comm.answers = bytes_of(answers.data(), n);
  const device_bytes room(workspace);
  options how;
  if (workspace > 0) how.workspace = {room.data(), workspace};
  // The second call finds what the first one left, and allocates nothing.
  for (const bool again : {false, true}) {
    ncclComm now = comm;
    const device_bytes vector(now.vectors[std::size_t(now.rank)]);
    now.x = static_cast<const std::byte*>(vector.data());
    // A caller that knows that all calls are the same waits for nothing.
    if (!again) now.words = {call_of(op, type, count)};
    const int allocated = allocations(), waited = waits_so_far();
    const status done = nccl::all_reduce_elements(gpu, op, {vector.data(), type, {{count, item}}},
                                                  &now, how, again);
    EXPECT_EQ(waits_so_far() - waited, !again && ranks > 1);
    ASSERT_TRUE(done.ok()) << done.message();
    EXPECT_EQ(vector.get<std::byte>(), now.answers)
        << n << " " << name(type) << ", rank " << now.rank << " of " << ranks
        << ", ONEFOLD_TEST_SEED=" << seed();
    if (workspace == 0) return;
    EXPECT_TRUE(!again || allocations() == allocated);
    EXPECT_LE(now.largest_message * std::size_t(ranks), workspace / 2);
  }
}

// Two ranks, of which the other one makes another call, or none that is right.
struct two_ranks {
  device_bytes x{std::vector<double>{1, 2, 3, 4}};
  ncclComm comm;
  two_ranks(int rank, const word_group& other) {
    comm.ranks = 2, comm.rank = rank, comm.words = {other};
  }
  status call(op operation = op::sum, dtype type = dtype::f64, std::int64_t n = 4,
              const options& how = {}) {
    const auto item = std::int64_t(size_bytes(type));
    return nccl::all_reduce_elements(gpu, operation, {x.data(), type, {{n, item}}}, &comm, how);
  }
  void expect_untouched() {
    EXPECT_EQ(x.get<double>(), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(comm.received + comm.gathered, 0U);
  }
};

TEST(cuda_nccl, elements_of_ranks_whose_calls_differ_are_one_error) {
  for (const int rank : {0, 1})
    for (const auto& [other, says] : std::vector<std::pair<word_group, const char*>>{
             {call_of(op::mean, dtype::f64, 4), "by several operators, from sum to mean"},
             {call_of(op::sum, dtype::f32, 4), "several types of elements, from f32 to f64"},
             {call_of(op::sum, dtype::f64, 3), "several numbers of elements, from 3 to 4"},
             {call_of(op::sum, dtype::f64, 0), "several numbers of elements, from 0 to 4"}}) {
      two_ranks ranks(rank, other);
      expect_refused(ranks.call(), status_code::mismatch, says);
      ranks.expect_untouched();
    }
}

TEST(cuda_nccl, elements_of_a_rank_that_fails_are_an_error_of_all) {
  word_group failed(7, INT64_MIN);
  failed[0] = -1;
  two_ranks first(0, failed);
  first.comm.messages.resize(2 * 512);
  const auto refused = std::int32_t(status_code::unsupported);
  std::memcpy(first.comm.messages.data() + 512, &refused, sizeof refused);
  std::memcpy(first.comm.messages.data() + 512 + sizeof refused, "sum of i32", 11);
  expect_refused(first.call(), status_code::unsupported, "rank 1: sum of i32");
  first.expect_untouched();

  const auto own = [&](const auto& call, status_code code, const char* says) {
    two_ranks second(1, call_of(op::sum, dtype::f64, 4));
    second.comm.messages.resize(2 * 512);
    expect_refused(call(second), code, "rank 1: ");
    second.expect_untouched();
    second.comm.reduced = 0;
    expect_refused(call(second), code, says);
  };
  own([](two_ranks& ranks) { return ranks.call(op::max); }, status_code::unsupported, "max of f64");
  own([](two_ranks& ranks) { return ranks.call(op::sum, dtype::i64); }, status_code::unsupported,
      "sum of i64");
  options small;
  const device_bytes room(32);
  small.workspace = {room.data(), 32};
  own([&](two_ranks& ranks) { return ranks.call(op::sum, dtype::f64, 4, small); },
      status_code::usage, "16384");
}

TEST(cuda_nccl, elements_are_summed_in_blocks_of_shares) {
  random_source random = source_of(63, 0);
  for (const int ranks : {1, 2, 3, 8})
    for (const std::size_t n : {1, 5, 1000, 70'001}) {
      const std::size_t workspace = std::size_t(ranks) * 8192;
      expect_elements<bf16>(random, op::sum, ranks, n, workspace);
      expect_elements<float>(random, op::mean, ranks, n, 0);
      expect_elements<double>(random, op::sum, ranks, n, 3 * workspace + 1);
    }
  alone alone;
  options how;
  how.workspace = {alone.there.data(), 32};
  expect_refused(nccl::all_reduce_elements(gpu, op::sum, {alone.there.data(), dtype::f64, {{4, 8}}},
                                           &alone.comm, how),
                 status_code::usage, "8192");
}

}  // namespace
}  // namespace onefold::cuda::test
