// SPDX-License-Identifier: Apache-2.0
// Answers do not depend on the caller's floating-point environment, nor on that of the threads of
// a pool that someone else started; and the caller's environment comes back bit for bit.
//
// Nothing here computes with doubles while the environment is hostile: inputs and expected values
// are made before.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>

#include "onefold/machine.hpp"
#include "onefold/onefold.hpp"
#include "runtime/float_environment.hpp"
#include "support/elements.hpp"
#include "support/fast_model.hpp"
#include "support/oracle.hpp"

#if defined(ONEFOLD_TEST_TBB)
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#endif

#if defined(__x86_64__)
#include <immintrin.h>

namespace onefold::test {
namespace {

constexpr unsigned usual = 0x1F80, flush_to_zero = 0x8000, denormals_are_zero = 0x0040,
                   to_nearest = 0, downward = 0x2000, upward = 0x4000, chopping = 0x6000;

/// The MXCSR of a scope.
class hostile_scope {
 public:
  explicit hostile_scope(unsigned word) : before_(_mm_getcsr()) { _mm_setcsr(word); }
  ~hostile_scope() { _mm_setcsr(before_); }

 private:
  unsigned before_;
};

/// Every rounding, flushing or not, with flags already raised or not, with traps or without.
std::vector<unsigned> environments() {
  std::vector<unsigned> words;
  for (unsigned rounding : {to_nearest, downward, upward, chopping})
    for (unsigned flushing :
         {0u, flush_to_zero, denormals_are_zero, flush_to_zero | denormals_are_zero})
      for (unsigned flags : {0x00u, 0x15u, 0x3Fu})
        words.push_back(usual | rounding | flushing | flags);
  words.push_back(usual & ~0x1080u);  // traps on invalid operations and inexact results
  words.push_back(upward);            // traps on everything
  return words;
}

/// An array, its exact sum and its fast sum, as bits.
struct known {
  std::vector<double> x;
  std::uint64_t exact, fast;

  known(std::uint64_t index, std::size_t n, int kind) : x(n) {
    random_source random = source_of(31, index);
    for (auto& element : x)
      element = kind == 0   ? any_of_exponent<double>(random, -1023)
                : kind == 1 ? any_of_exponent<double>(random, random.between(-1074, -960))
                            : any_of_exponent<double>(random, random.between(-40, 40));
    oracle<double> sum;
    sum.add(x.data(), std::int64_t(n));
    exact = sum.value();
    fast = as_bits(fast_model<double>::sum(x));
  }
};

const std::vector<known>& arrays() {
  static const std::vector<known> made = [] {
    std::vector<known> list;
    for (std::uint64_t i = 0; const std::size_t n : {1u, 100u, 700u, 70'000u, 300'000u})
      for (int kind = 0; kind < 3; ++kind) list.emplace_back(i++, n, kind);
    return list;
  }();
  return made;
}

struct seen {
  std::uint64_t exact = 0, fast = 0, from_windows = 0, from_state = 0;
  std::array<unsigned, 5> words = {};  // MXCSR before, and after each call
};

// Every way in, with MXCSR read between them.
seen use_every_entry_point(const std::vector<double>& x, int threads) {
  seen got;
  const executor where = executor::cpu{threads};
  got.words[0] = _mm_getcsr();
  got.exact = as_bits(try_reduce<double>(where, op::sum, x).value());
  got.words[1] = _mm_getcsr();
  got.fast = as_bits(try_reduce<double>(where, op::sum, x, {.accuracy = accuracy::fast}).value());
  got.words[2] = _mm_getcsr();
  windows pieces(where, op::sum, dtype::f64);
  const std::size_t half = x.size() / 2;
  double answer = 0;
  const bool written = pieces.add(array_view(x.data(), half)) &&
                       pieces.add(array_view(x.data() + half, x.size() - half)) &&
                       pieces.write(answer);
  got.from_windows = written ? as_bits(answer) : 0;
  got.words[3] = _mm_getcsr();
  got.from_state = as_bits(try_partial(where, op::sum, x).value().value<double>());
  got.words[4] = _mm_getcsr();
  return got;
}

void expect_right(const known& array, const seen& got, const std::string& where) {
  const std::string context = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", " +
                              std::to_string(array.x.size()) + " elements, " + where;
  EXPECT_EQ(hex(got.exact), hex(array.exact)) << context << hex(array.x.data(), array.x.size());
  EXPECT_EQ(hex(got.fast), hex(array.fast)) << context << hex(array.x.data(), array.x.size());
  EXPECT_EQ(hex(got.from_windows), hex(array.exact)) << context;
  EXPECT_EQ(hex(got.from_state), hex(array.exact)) << context;
  for (unsigned word : got.words) EXPECT_EQ(hex(word), hex(got.words[0])) << context << ", MXCSR";
}

TEST(float_environment, of_the_caller_changes_no_answer_and_is_restored_bit_for_bit) {
  for (const auto& array : arrays())
    for (const unsigned word : environments()) {
      seen got;
      {
        const hostile_scope hostile(word);
        got = use_every_entry_point(array.x, 1);
      }
      EXPECT_EQ(hex(got.words[0]), hex(word));
      expect_right(array, got, "alone under MXCSR " + hex(word));
    }
}

TEST(float_environment, of_the_caller_changes_no_answer_of_many_threads) {
  for (const auto& array : arrays())
    for (const unsigned rounding : {to_nearest, downward, upward, chopping}) {
      const unsigned word = usual | rounding | flush_to_zero | denormals_are_zero;
      seen got;
      {
        const hostile_scope hostile(word);
        got = use_every_entry_point(array.x, 7);
      }
      expect_right(array, got, "seven tasks under MXCSR " + hex(word));
    }
}

TEST(float_environment, set_by_the_standards_functions_changes_no_answer) {
  for (const auto& array : arrays())
    for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(rounding);
      const seen got = use_every_entry_point(array.x, 2);
      const int after = std::fegetround();
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(after, rounding);
      expect_right(array, got, "fesetround " + std::to_string(rounding));
    }
}

TEST(float_environment, of_the_caller_changes_no_initial_value) {
  constexpr std::uint32_t values[] = {0, 1, 2, 0x007FFFFF, 0x00800000, 0x3F800001, 0x7F7FFFFF};
  for (const std::uint32_t magnitude : values)
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      const auto initial = std::bit_cast<float>(magnitude | sign);
      const std::uint64_t right = as_bits(double(initial));
      options options;
      std::uint32_t largest = 0;
      std::uint64_t held = 0;
      {
        const hostile_scope hostile(usual | upward | flush_to_zero | denormals_are_zero);
        options.initial = initial;
        held = options.initial->visit([](auto value) { return as_bits(double(value)); });
        largest = as_bits(try_reduce<float>({}, op::max, std::vector<float>(), options).value());
      }
      EXPECT_EQ(hex(held), hex(right));
      EXPECT_EQ(hex(largest), hex(magnitude | sign));
    }
}

TEST(float_environment, of_the_caller_is_described) {
  const auto described = [](unsigned word) {
    const hostile_scope hostile(word);
    return describe_machine().callers_environment;
  };
  EXPECT_EQ(described(usual), "");
  EXPECT_EQ(described(usual | 0x3F), "");
  EXPECT_EQ(described(usual | flush_to_zero), "flush-to-zero");
  EXPECT_EQ(described(usual | denormals_are_zero), "flush-to-zero");
  EXPECT_EQ(described(usual | upward), "another rounding mode");
}

#if defined(ONEFOLD_TEST_TBB)
constexpr unsigned hostile_word = usual | upward | flush_to_zero | denormals_are_zero;

/// Someone else's pool: while it is hostile, whoever comes to work in it is put under
/// flush-to-zero, rounding upwards. It watches to the end of the program: oneTBB forgets to free
/// what it keeps of an observer that leaves while workers sleep (LeakSanitizer, 2021.8).
class hostile_pool : public tbb::task_scheduler_observer {
 public:
  static std::atomic<bool>& hostile() {
    static auto* const pool = new hostile_pool;
    return pool->hostile_;
  }
  void on_scheduler_entry(bool) override {
    if (hostile_) _mm_setcsr(hostile_word);
  }

 private:
  hostile_pool() { observe(true); }
  std::atomic<bool> hostile_{false};
};

/// Work of someone else who wants the caller's environment in every task; in how many it was so.
int hostile_tasks(int tasks) {
  using context = tbb::task_group_context;
  context callers(context::isolated, context::default_traits | context::fp_settings);
  std::atomic<int> hostile{0};
  tbb::parallel_for(
      0, tasks, [&](int) { hostile += (_mm_getcsr() & ~0x3Fu) == hostile_word; },
      tbb::simple_partitioner{}, callers);
  return hostile;
}

TEST(float_environment, of_a_pool_that_someone_else_started_changes_no_answer) {
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 4);
  const auto& made = arrays();
  std::vector<seen> got;
  int hostile = 0;
  {
    const hostile_scope caller(hostile_word);
    hostile_pool::hostile() = true;
    hostile = hostile_tasks(64);
    for (const auto& array : made) got.push_back(use_every_entry_point(array.x, 8));
    hostile += hostile_tasks(64);
    hostile_pool::hostile() = false;
  }
  EXPECT_EQ(hostile, 128) << "the pool was not hostile: the test has shown nothing";
  for (std::size_t i = 0; i < made.size(); ++i) expect_right(made[i], got[i], "a hostile pool");
}

TEST(float_environment, of_workers_differs_from_the_callers_and_changes_no_answer) {
  const auto& made = arrays();
  std::vector<seen> got;
  {
    tbb::task_arena arena;
    std::atomic<unsigned> of_workers{0};
    {
      const hostile_scope caller(hostile_word);
      arena.execute([&] { of_workers = unsigned(hostile_tasks(64)); });
    }
    EXPECT_EQ(of_workers, 64u);
    arena.execute([&] {
      for (const auto& array : made) got.push_back(use_every_entry_point(array.x, 8));
    });
  }
  for (std::size_t i = 0; i < made.size(); ++i) expect_right(made[i], got[i], "started hostile");
}
#endif

}  // namespace
}  // namespace onefold::test
#endif
