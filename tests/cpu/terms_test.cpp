// SPDX-License-Identifier: Apache-2.0
// Magnitudes, squares, products and moments of floating arrays against the oracles: whole states,
// word by word, on every SIMD target.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/tasks.hpp"
#include "runtime/float_environment.hpp"
#include "support/dot_oracle.hpp"
#include "support/each_target.hpp"
#include "support/factors.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

using words = std::vector<std::int64_t>;
constexpr onefold::accumulator exact[] = {
    onefold::accumulator::total, onefold::accumulator::magnitudes, onefold::accumulator::squares,
    onefold::accumulator::products, onefold::accumulator::moments};
constexpr std::string_view names[] = {"sum", "magnitudes", "squares", "products", "moments"};

template <class T>
any_state empty_state(onefold::accumulator accumulator) {
  if (accumulator == onefold::accumulator::moments) return exact_moments<T>{};
  if (accumulator == onefold::accumulator::squares || accumulator == onefold::accumulator::products)
    return exact_dot<T>{};
  return exact_sum<T>{};
}

template <class T>
words words_in(const any_state& state, onefold::accumulator accumulator) {
  if (accumulator == onefold::accumulator::moments)
    return words_of(std::get<exact_moments<T>>(state));
  if (accumulator == onefold::accumulator::squares || accumulator == onefold::accumulator::products)
    return words_of(std::get<exact_dot<T>>(state));
  return words_of(std::get<exact_sum<T>>(state));
}

template <class T>
words expected_words(onefold::accumulator accumulator, const std::vector<T>& x,
                     const std::vector<T>& y) {
  const auto n = std::int64_t(x.size());
  oracle<T> sum;
  dot_oracle<T> products;
  if (accumulator == onefold::accumulator::magnitudes) {
    auto magnitudes = x;
    for (T& element : magnitudes) element = as_float<T>(magnitude_bits(element));
    sum.add(magnitudes.data(), n);
    return sum.words();
  }
  if (accumulator != onefold::accumulator::squares && accumulator != onefold::accumulator::products)
    sum.add(x.data(), n);
  if (accumulator == onefold::accumulator::total) return sum.words();
  const auto& second = accumulator == onefold::accumulator::products ? y : x;
  for (std::size_t i = 0; i < x.size(); ++i) products.add(x[i], second[i]);
  words list = accumulator == onefold::accumulator::moments ? sum.words() : words();
  for (auto word : products.words()) list.push_back(word);
  return list;
}

template <class T>
class suite {
 public:
  explicit suite(onefold::accumulator accumulator)
      : accumulator_(accumulator), paths_(cpu::tables().size()) {}

  /// One pair of arrays, its expected words, every target.
  bool try_arrays(const factors<T>& given, const std::string& context) {
    const words expected = expected_words(accumulator_, given.x, given.y);
    bool right = true;
    for (std::size_t i = 0; i < cpu::tables().size(); ++i) {
      cpu::use_table(*cpu::tables()[i]);
      const auto task = cpu::make_exact_task(accumulator_, dtype_of<T>);
      task->take({given.x.data(), given.y.data(), std::int64_t(given.x.size())});
      right &= check(*task, expected, given, context + std::string(cpu::tables()[i]->target));
      paths_[i] += task->paths();
    }
    cpu::use_table(*cpu::tables().front());
    ++cases_;
    return right;
  }

  /// The same elements in pieces of random lengths, from several tasks with states in between.
  bool try_parts(random_source& random, const factors<T>& given, const std::string& context) {
    const words expected = expected_words(accumulator_, given.x, given.y);
    any_state whole = empty_state<T>(accumulator_);
    const auto n = std::int64_t(given.x.size());
    const std::unique_ptr<cpu::task> tasks[] = {cpu::make_exact_task(accumulator_, dtype_of<T>),
                                                cpu::make_exact_task(accumulator_, dtype_of<T>)};
    for (std::int64_t first = 0; first < n;) {
      const std::int64_t most = n - first;
      const auto length =
          std::min(most, std::int64_t(random.below(std::uint64_t(most / 2 + 40)) + 1));
      cpu::task& task = *tasks[random.below(2)];
      task.take({given.x.data() + first, given.y.data() + first, length, first});
      if (random.one_in(3)) task.drain(whole);
      first += length;
    }
    tasks[1]->drain(whole);
    return check(*tasks[0], expected, given, context + "parts", whole);
  }

  /// What was counted. In a whole run every path is taken; a slow one is one array in about fifty.
  void report(bool whole_run) const {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const detail::path_counts& p = paths_[i];
      std::printf("  %-4s %-10s %-7s %6lld cases: small %lld, fast %lld, reopened %lld, escalated "
                  "%lld, slow %lld\n",
                  ieee<T>::name.data(), names[int(accumulator_)].data(),
                  cpu::tables()[i]->target.data(), (long long)cases_, (long long)p.small,
                  (long long)p.fast_tiles, (long long)p.reopened, (long long)p.escalated,
                  (long long)p.slow_tiles);
      if (!whole_run) continue;
      const bool one_depth = std::is_same_v<T, f16>;
      EXPECT_TRUE(p.small > 0 && p.fast_tiles > 0 && p.reopened > 0 && p.slow_tiles > 0);
      EXPECT_EQ(p.escalated > 0, !one_depth) << "the deeper cascades";
    }
  }

 private:
  bool check(cpu::task& task, const words& expected, const factors<T>& given,
             const std::string& context, any_state into = any_state()) {
    if (into.index() == 0) into = empty_state<T>(accumulator_);
    task.drain(into);
    const words got = words_in<T>(into, accumulator_);
    any_state after = empty_state<T>(accumulator_);
    task.drain(after);
    EXPECT_EQ(after, empty_state<T>(accumulator_)) << context << ": a drained task is as new";
    if (got == expected) return true;
    std::size_t at = 0;
    while (at < got.size() && at < expected.size() && got[at] == expected[at]) ++at;
    ADD_FAILURE() << "ONEFOLD_TEST_SEED=" << seed() << ", " << names[int(accumulator_)] << " of "
                  << ieee<T>::name << ", " << context << ": word " << at << " of " << got.size()
                  << "\nx: " << hex(given.x.data(), given.x.size())
                  << "\ny: " << hex(given.y.data(), given.y.size());
    return false;
  }

  onefold::accumulator accumulator_;
  std::vector<detail::path_counts> paths_;
  std::int64_t cases_ = 0;
};

template <class T>
void try_family(onefold::accumulator accumulator, std::int64_t usual) {
  const float_environment sound;
  suite<T> tried(accumulator);
  const std::int64_t arrays = cases(usual, 80);
  for (std::int64_t k = 0; k < arrays; ++k) {
    random_source random = source_of(3000 + std::uint64_t(accumulator), std::uint64_t(k));
    const std::size_t n = random.one_in(3)   ? random.below(300)
                          : random.one_in(2) ? 200 + random.below(1000)
                                             : 1200 + random.below(2400);
    factors<T> given{std::vector<T>(n), std::vector<T>(n)};
    const std::string name(fill_factors(random, given, std::uint64_t(k)));
    const std::string context = name + ", array " + std::to_string(k) + ", ";
    if (!tried.try_arrays(given, context)) return;
    for (T& element : given.x) element = negated(element);
    if (k % 4 == 0 && !tried.try_arrays(given, context + "negated, ")) return;
    const random_source order = random;
    random_source first = order, second = order;
    shuffle(first, given.x.data(), n), shuffle(second, given.y.data(), n);
    if (k % 4 == 1 && !tried.try_arrays(given, context + "shuffled, ")) return;
    if (k % 2 == 0 && !tried.try_parts(random, given, context)) return;
  }
  tried.report(arrays >= usual);
}

class exact_terms : public testing::TestWithParam<int> {};

TEST_P(exact_terms, of_binary64_equal_the_oracle) {
  try_family<double>(exact[GetParam()], 1000);
}
TEST_P(exact_terms, of_binary32_equal_the_oracle) {
  try_family<float>(exact[GetParam()], 1000);
}
TEST_P(exact_terms, of_bfloat16_equal_the_oracle) {
  try_family<bf16>(exact[GetParam()], 600);
}
TEST_P(exact_terms, of_binary16_equal_the_oracle) {
  try_family<f16>(exact[GetParam()], 600);
}

INSTANTIATE_TEST_SUITE_P(families, exact_terms, testing::Range(0, 5),
                         [](const auto& parameter) { return std::string(names[parameter.param]); });

}  // namespace
}  // namespace onefold::test
