// SPDX-License-Identifier: Apache-2.0
// Every function that gives a status or a result, with each of its allocations refused: nothing is
// thrown and nothing is kept. support/refused_memory.hpp says what it cannot refuse.
#include "support/refused_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "onefold/custom.hpp"
#include "onefold/machine.hpp"
#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

template <class T>
status_code code(const result<T>& got) {
  return got.why().code();
}
status_code code(const status& got) {
  return got.code();
}

// At most this many allocations of a call are refused, one after another and in both ways.
constexpr std::size_t most_calls = 500;

// The last of some that were made while memory was there: a call may change it and end it.
template <class T>
T taken_from(std::vector<T>& made) {
  if (made.empty()) throw std::length_error("more calls than were prepared for");
  T last = std::move(made.back());
  made.pop_back();
  return last;
}

// Of several chunks; the sizes of `large` make two threads work.
struct elements {
  std::vector<double> small = std::vector<double>(100, 0.1), large;
  std::vector<std::int32_t> integers, keys, sorted;
  std::vector<std::int64_t> offsets = {0, 5, 5, 70'000, 150'000};
  std::vector<unsigned char> mask;
  elements() : large(150'000), integers(150'000), keys(150'000), sorted(150'000), mask(150'000) {
    for (std::size_t i = 0; i < large.size(); ++i) {
      large[i] = std::ldexp(double(i % 1000) - 300, int(i % 90) - 40);
      integers[i] = std::int32_t(i % 7 == 0 ? i : 3);
      keys[i] = std::int32_t(i * 7919 % 501), sorted[i] = std::int32_t(i / 300);
      mask[i] = i % 3 != 0;
    }
  }
};

// In a process of its own, where nothing of the library has run: what it decides at its first use
// is refused too. Comes first, so that this process too has not used it.
TEST(refused_memory, at_the_first_use_is_a_status) {
  const elements data;
  for (std::int64_t n = 1; n < 400; ++n) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      status_code first{};
      bool happened = false;
      {
        const refused_memory refusal(n, n % 2 == 0);
        first = code(try_sum(data.large));
        happened = refusal.happened();
      }
      const auto second = try_sum(data.large);
      const bool fine = first == status_code::ok || first == status_code::out_of_memory;
      _exit(!fine || !second.ok() ? 1 : happened ? 2 : 0);
    }
    int exit = 0;
    ASSERT_EQ(waitpid(child, &exit, 0), child);
    ASSERT_TRUE(WIFEXITED(exit)) << "allocation " << n;
    ASSERT_NE(WEXITSTATUS(exit), 1) << "allocation " << n;
    if (WEXITSTATUS(exit) == 0 && n > 1) return;
  }
  FAIL() << "the allocations do not end";
}

TEST(refused_memory, is_a_status_of_every_named_function) {
  const elements data;
  const view<double> matrix(data.large.data(), {300, 500});
  const auto each = [&](const auto& call, const char* name) {
    expect_only_statuses(name, [&] { return code(call(data.small)); });
    expect_only_statuses(name, [&] { return code(call(data.large)); });
    expect_only_statuses(name, [&] { return code(call(data.integers)); });
    expect_only_statuses(name, [&] { return code(call(matrix, axis(0))); });
    expect_only_statuses(name, [&] { return code(call(matrix, axis(1))); });
    expect_only_statuses(name, [&] { return code(call(matrix, axis(5))); });
  };
  each(try_sum, "sum"), each(try_mean, "mean"), each(try_norm1, "norm1");
  each(try_norm2, "norm2"), each(try_norminf, "norminf"), each(try_sumsq, "sumsq");
  each(try_var, "var"), each(try_stddev, "stddev"), each(try_min, "min"), each(try_max, "max");
  each(try_argmin, "argmin"), each(try_argmax, "argmax"), each(try_any, "any");
  each(try_all, "all"), each(try_count, "count"), each(try_count_nonzero, "count_nonzero");
  each(try_bit_and, "bit_and"), each(try_bit_or, "bit_or"), each(try_bit_xor, "bit_xor");
  each(try_prod, "prod"), each(try_logsumexp, "logsumexp");
  expect_only_statuses("dot", [&] { return code(try_dot(data.large, data.large)); });
  expect_only_statuses("dot", [&] { return code(try_dot(data.large, data.small)); });
  expect_only_statuses("minmax", [&] { return code(try_minmax(data.large)); });
}

TEST(refused_memory, is_a_status_under_every_option) {
  const elements data;
  const view<double> matrix(data.large.data(), {300, 500});
  std::int64_t counts[4] = {};  // more than a std::function holds in place
  options how;
  how.progress = [a = counts, b = counts + 1, c = counts + 2,
                  d = counts + 3](std::int64_t, std::int64_t) { ++*a, ++*b, ++*c, ++*d; };
  const auto each = [&](const char* name) {
    expect_only_statuses(name, [&] { return code(try_sum(data.large, how)); });
    expect_only_statuses(name, [&] { return code(try_var(matrix, axis(0), how)); });
    expect_only_statuses(name, [&] { return code(try_prod(matrix, axis(1), how)); });
  };
  each("progress");
  how.where = array_view(data.mask.data(), dtype::u8, {{300, 500}, {500, 1}});
  each("a mask of two axes");
  how.where.reset(), how.nan_policy = nan_policy::error;
  each("nan");
  how.initial = 2.5, how.nan_policy = nan_policy::omit;
  each("initial");
  how = {.accuracy = accuracy::fast};
  each("fast");
  how = {.keepdims = true};
  each("keepdims");
  how = {.axes = axis(1)};
  each("axes");
}

TEST(refused_memory, is_a_status_of_every_entry_point) {
  const elements data;
  const view<double> matrix(data.large.data(), {300, 500});
  double answers[3] = {};
  float rows[300] = {};
  const auto doubled = [](double x) { return 2 * x; };
  const element_map halved = [](const void* from, std::int64_t n, void* to) {
    for (std::int64_t i = 0; i < n; ++i)
      static_cast<float*>(to)[i] = float(static_cast<const double*>(from)[i] / 2);
  };
  for (const int threads : {1, 2}) {
    const executor on = executor::cpu{threads};
    const std::string with = " by " + std::to_string(threads);
    expect_only_statuses("reduce" + with, [&] {
      return code(reduce(on, {op::sum, op::prod, op::max}, {data.large},
                         {answers[0], answers[1], answers[2]}));
    });
    expect_only_statuses("reduce, refused" + with, [&] {
      return code(reduce(on, {op::sum, op::max}, {data.large}, {answers[0]}));
    });
    expect_only_statuses("reduce to a range" + with, [&] {
      return code(reduce(on, op::min, matrix, rows, {.axes = axis(1)}));
    });
    expect_only_statuses("reduce to a short range" + with, [&] {
      return code(reduce(on, op::min, matrix, rows, {.axes = axis(0)}));
    });
    expect_only_statuses("reduce_mapped" + with, [&] {
      return code(reduce_mapped(on, op::sum, data.large, dtype::f32, halved, answers[0]));
    });
    expect_only_statuses("make_plan" + with, [&] {
      return code(make_plan(on, {op::sum, op::var}, matrix));
    });
    for (const op op : {op::sum, op::var, op::max, op::bit_or, op::prod, op::logsumexp})
      expect_only_statuses("try_partial" + with,
                           [&] { return code(try_partial(on, op, data.large)); });
    expect_only_statuses("try_stats" + with, [&] { return code(try_stats(on, matrix)); });
    expect_only_statuses("transpose" + with, [&] {
      static std::vector<double> turned(150'000);
      return code(transpose<double>(on, data.large, 300, turned));
    });
    expect_only_statuses("transpose, refused" + with, [&] {
      return code(transpose<double>(on, data.large, 301, std::span<double>()));
    });
  }
  expect_only_statuses("sum of a function", [&] { return code(try_sum(data.large, doubled)); });
  const executor gpu = executor::cuda{.device = 99};
  expect_only_statuses("check_executor", [&] { return code(check_executor(gpu)); });
  expect_only_statuses("workspace_size", [&] {
    return code(workspace_size(executor::cpu{}, op::sum, {data.large}, {answers[0]}));
  });
}

TEST(refused_memory, is_a_status_of_segments_and_keys) {
  const elements data;
  const std::vector<std::int64_t> wrong = {0, 5, 3};
  const auto each = [&]<op What>(std::integral_constant<op, What>) {
    const std::string of_op(name(What));
    expect_only_statuses("segments of " + of_op,
                         [&] { return code(try_segments<What>(data.integers, data.offsets)); });
    expect_only_statuses("wrong segments of " + of_op,
                         [&] { return code(try_segments<What>(data.integers, wrong)); });
    expect_only_statuses(of_op + " by ascending key",
                         [&] { return code(try_by_key<What>(data.sorted, data.integers)); });
  };
  each(std::integral_constant<op, op::sum>()), each(std::integral_constant<op, op::mean>());
  each(std::integral_constant<op, op::argmax>()), each(std::integral_constant<op, op::minmax>());
  each(std::integral_constant<op, op::var>());
  // Keys in no order are sorted first, whatever the operator: some thousand allocations.
  expect_only_statuses("sums by key",
                       [&] { return code(try_by_key<op::sum>(data.keys, data.integers)); });
  expect_only_statuses("sums of floats by key",
                       [&] { return code(try_by_key<op::sum>(data.keys, data.large)); });
  expect_only_statuses("too few keys",
                       [&] { return code(try_by_key<op::sum>(data.offsets, data.large)); });
}

// A state in progress that asks for memory itself.
struct collected {
  std::vector<double> seen;
  void add(double x) {
    if (seen.size() < 3) seen.push_back(x);
  }
  void merge(const collected& next) { seen.insert(seen.end(), next.seen.begin(), next.seen.end()); }
};

TEST(refused_memory, is_a_status_of_an_operator_of_your_own) {
  const elements data;
  const view<double> matrix(data.large.data(), {300, 500});
  expect_only_statuses("try_reduce_with",
                       [&] { return code(try_reduce_with(collected(), data.large)); });
  expect_only_statuses("try_reduce_with over axes",
                       [&] { return code(try_reduce_with(collected(), matrix, axis(0))); });
  expect_only_statuses("try_reduce_with, refused", [&] {
    return code(try_reduce_with(collected(), data.large, {.nan_policy = nan_policy::omit}));
  });
  expect_only_statuses("walk_of", [&] { return code(walk_of(matrix, {.axes = axis(7)})); });
  const piece_taker take = [](std::int64_t, std::int64_t, const void*, std::int64_t, std::int64_t) {
  };
  expect_only_statuses("walk", [&] { return code(walk(executor::cpu{2}, matrix, {}, take)); });
}

TEST(refused_memory, is_a_status_of_states_and_windows) {
  const elements data;
  const std::span<const double> piece(data.large.data(), std::size_t(2 * window_items));
  for (const op op : {op::sum, op::norm2, op::var, op::argmin, op::count, op::prod}) {
    const state one = partial(op, data.large), other(op, dtype::f32);
    state next(op, dtype::f64, one.count());
    expect_only_statuses("try_merge", [&] { return code(state(one).try_merge(next)); });
    expect_only_statuses("try_merge, refused", [&] { return code(state(one).try_merge(other)); });
    expect_only_statuses("try_value", [&] { return code(one.try_value<double>()); });
    expect_only_statuses("try_value of bool", [&] { return code(one.try_value<bool>()); });
    auto bytes = one.bytes();
    expect_only_statuses("from_bytes", [&] { return code(state::from_bytes(bytes)); });
    bytes.pop_back();
    expect_only_statuses("from_bytes, refused", [&] { return code(state::from_bytes(bytes)); });
    windows pieces(executor::cpu{2}, {op, op::max}, dtype::f64);
    double answer = 0;
    ASSERT_TRUE(pieces.add(piece).ok());
    std::vector<windows> begun;
    while (begun.size() < most_calls) {
      begun.emplace_back(executor::cpu{2}, op_list{op, op::max}, dtype::f64);
      ASSERT_TRUE(begun.back().add(piece).ok());
    }
    expect_only_statuses("windows::add", [&] {
      windows fresh = taken_from(begun);
      const status_code got = code(fresh.add(piece));
      const bool added = fresh.count() > std::int64_t(piece.size());
      return added == (got == status_code::ok) ? got : status_code::usage;
    });
    expect_only_statuses("windows::add, refused", [&] { return code(pieces.add(data.integers)); });
    expect_only_statuses("windows::write", [&] { return code(pieces.write(answer)); });
    expect_only_statuses("windows::write, refused",
                         [&] { return code(pieces.write(op::dot, answer)); });
    expect_only_statuses("windows::partial", [&] { return code(pieces.partial()); });
  }
}

TEST(refused_memory, is_a_status_of_decimal_sums) {
  const std::string long_digits(40, '7');
  const std::string texts[] = {"2", "-0", "nan", "1e-200", "1e2000", long_digits, "x"};
  for (const std::string& text : texts) {
    std::vector<decimal_sum> begun, failed;
    failed.reserve(most_calls);
    while (begun.size() < most_calls) {
      begun.emplace_back();
      ASSERT_TRUE(begun.back().add("1").ok());
    }
    expect_only_statuses(text, [&] {
      decimal_sum fresh = taken_from(begun);
      const status_code got = code(fresh.add(text));
      if (got != status_code::ok) failed.push_back(std::move(fresh));
      return got;
    });
    EXPECT_EQ(failed.empty(), text.size() < 4 && text != "x") << text;
    for (const decimal_sum& each : failed) {
      EXPECT_EQ(each.count(), 1) << text;
      EXPECT_TRUE(each.all_integers()) << text;
      EXPECT_EQ(each.to_string(), "1") << text;
    }
  }
  decimal_sum integers;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(integers.add("1234567890123").ok());
  expect_only_statuses("value_i64", [&] { return code(integers.value_i64()); });
}

// Answers that no memory holds.
TEST(refused_memory, for_more_answers_than_memory_holds_is_a_status) {
  const view<double> empty(nullptr, {most, 0});
  EXPECT_EQ(code(try_sum(empty, axis(1))), status_code::out_of_memory);
  EXPECT_EQ(code(try_sum(view<double>(nullptr, {most / 16, 0}), axis(1))),
            status_code::out_of_memory);
  EXPECT_EQ(code(try_reduce_with(collected(), empty, axis(1))), status_code::out_of_memory);
  EXPECT_EQ(code(try_max(empty, axis(0))), status_code::ok) << "no answer at all";
  EXPECT_THROW(sum(empty, axis(1)), error);
}

}  // namespace
}  // namespace onefold::test
