// SPDX-License-Identifier: Apache-2.0
// One case of an exact sum: an array, in one order and with one sign, against its oracle.
//
// Every case runs on every SIMD target, and what is compared is the whole state, word by word. A
// share of the cases is also cut into parts that merge in a random tree, goes through the public
// functions, is rounded to the other formats, and has its oracle compared with the slower ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/exact_task.hpp"
#include "onefold/onefold.hpp"
#include "runtime/float_environment.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"
#include "support/words.hpp"

namespace onefold::test {

inline std::string text_of(const std::vector<std::int64_t>& words) {
  std::string text;
  for (auto word : words) text += hex(std::uint64_t(word)) + " ";
  return text;
}

enum class order { as_made, rising, falling, shuffled };

template <class T>
void put_in_order(order which, random_source& random, std::vector<T>& x) {
  const auto below = [](T a, T b) { return magnitude_bits(a) < magnitude_bits(b); };
  if (which == order::rising) std::sort(x.begin(), x.end(), below);
  if (which == order::falling) std::sort(x.rbegin(), x.rend(), below);
  if (which == order::shuffled) shuffle(random, x.data(), x.size());
}

/// The cases of one accumulator of arrays of T.
template <class T>
class exact_suite {
 public:
  explicit exact_suite(const family<T>& family) : family_(family), paths_(cpu::tables().size()) {}

  /// Makes array `index` and tries it and its negation. False after a mismatch, which is reported.
  bool try_array(std::uint64_t stream, std::uint64_t index, std::size_t n) {
    random_ = source_of(stream, index);
    where_ = "stream " + std::to_string(stream) + ", array " + std::to_string(index);
    x_.resize(n);
    family_.fill(random_, x_.data(), n);
    oracle<T> sum;
    sum.add(x_.data(), std::int64_t(n));
    if (index % 32 == 0) compare_oracles(sum);
    const auto first = order(index % 4), second = order(index / 4 % 4);
    put_in_order(first, random_, x_);
    if (!try_case(sum, index)) return false;
    for (T& element : x_) element = negated(element);
    put_in_order(second, random_, x_);
    return try_case(sum.negated(), index);
  }

  std::int64_t cases() const { return cases_; }

  /// One line of counts; fails where an intended way was not taken on some target.
  void report_paths() const {
    detail::path_counts all;
    for (const auto& counts : paths_) all += counts;
    std::printf("  %-4s %-22s %8lld cases: small %lld, fast %lld, windows %lld, reopened %lld, "
                "escalated %lld, slow %lld, drains %lld\n",
                ieee<T>::name.data(), family_.name.data(), (long long)cases_, (long long)all.small,
                (long long)all.fast_tiles, (long long)all.windows, (long long)all.reopened,
                (long long)all.escalated, (long long)all.slow_tiles, (long long)all.drains);
    for (std::size_t target = 0; target < paths_.size(); ++target)
      for (const auto way : family_.intended)
        EXPECT_GT(paths_[target].*way, 0)
            << family_.name << " of " << ieee<T>::name << " on " << cpu::tables()[target]->target
            << ": the way that the family is there for was never taken";
  }

 private:
  using sum_type = detail::wide_sum<T>;

  bool try_case(const oracle<T>& expected, std::uint64_t index) {
    ++cases_;
    words_ = expected.words();
    bool right = true;
    for (std::size_t target = 0; target < paths_.size(); ++target) {
      cpu::exact_task<T> task(cpu::tables()[target]->template exact<T>());
      task.take(x_.data(), size());
      right &= check(task.result(), cpu::tables()[target]->target);
      paths_[target] += task.paths();
      if (target == 0) right &= check_value<T>(task.result(), expected);
      if (target == 0 && index % 8 == 0) right &= check_values(task.result(), expected);
    }
    if (index % 4 == 0) right &= check(sum_of_parts(), "parts merged");
    if (index % 8 == 1) right &= check_public_functions(expected);
    return right;
  }

  bool check(const sum_type& sum, std::string_view how) const {
    std::size_t i = 0;
    bool same = true;
    sum.for_each_word([&](std::int64_t word) { same &= word == words_[i++]; });
    if (!same)
      ADD_FAILURE() << context(how) << "expected state " << text_of(words_) << "\ngot state "
                    << text_of(words_of(sum)) << "\n"
                    << hex(x_.data(), x_.size());
    return same;
  }

  template <class Out>
  bool check_value(const sum_type& sum, const oracle<T>& expected) const {
    const auto got = as_bits(sum.template value<Out>()), right = expected.template value<Out>();
    if (got != right)
      ADD_FAILURE() << context("rounded to " + std::string(ieee<Out>::name)) << "expected "
                    << hex(right) << ", got " << hex(got) << "\n"
                    << hex(x_.data(), x_.size());
    return got == right;
  }

  bool check_values(const sum_type& sum, const oracle<T>& expected) const {
    return check_value<double>(sum, expected) && check_value<float>(sum, expected) &&
           check_value<bf16>(sum, expected) && check_value<f16>(sum, expected);
  }

  // Parts of random lengths, some through one task, on random targets, merged in a random tree.
  sum_type sum_of_parts() {
    std::vector<sum_type> parts;
    for (std::int64_t first = 0; first < size() || parts.empty();) {
      cpu::exact_task<T> task(cpu::tables()[random_.below(paths_.size())]->template exact<T>());
      for (auto pieces = random_.between(1, 3); pieces > 0; --pieces) {
        const auto most = std::uint64_t(size() - first);
        const auto n = std::int64_t(std::min(most, random_.below(most / 2 + 40)));
        task.take(x_.data() + first, n);
        first += n;
      }
      parts.push_back(task.result());
    }
    while (parts.size() > 1) {
      const std::size_t into = random_.below(parts.size() - 1);
      parts[into].merge(parts.back());
      parts.pop_back();
    }
    return parts[0];
  }

  bool check_public_functions(const oracle<T>& expected) const {
    const state whole = partial(op::sum, x_);
    const T sum = onefold::sum(x_);
    return check(std::get<exact_sum<T>>(detail::state_access::known(whole)), "partial()") &&
           check_value<T>(std::get<exact_sum<T>>(detail::state_access::known(whole)), expected) &&
           as_bits(sum) == as_bits(whole.value<T>());
  }

  void compare_oracles(const oracle<T>& sum) const {
    oracle<T> slow;
    slow.add_one_by_one(x_.data(), size());
    EXPECT_TRUE(slow == sum) << context("the two ways of the oracle differ");
    if (!family_.finite || sum.total() == 0) return;
    EXPECT_EQ(sum_by_mpfr(x_.data(), size()), sum.value()) << context("the oracle and MPFR differ");
  }

  std::string context(std::string_view how) const {
    return "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", " + std::string(family_.name) + ", " +
           where_ + ", " + std::string(how) + ": ";
  }
  std::int64_t size() const { return std::int64_t(x_.size()); }

  const family<T>& family_;
  std::vector<detail::path_counts> paths_;  // by target
  std::int64_t cases_ = 0;
  random_source random_{0};
  std::string where_;
  std::vector<T> x_;
  std::vector<std::int64_t> words_;
};

template <class T>
std::int64_t tile_items(std::size_t target) {
  return cpu::tables()[target]->template exact<T>().tile_items;
}

/// Nothing, one, few, and one to either side of the edges of every target's tiles.
template <class T>
std::size_t short_size(random_source& random) {
  if (!random.one_in(3)) return random.below(random.one_in(3) ? 320 : cpu::small_items + 24);
  // The best target has the widest tile: its edges come least often, for they cost most.
  std::size_t target = cpu::tables().size() - 1;
  while (target > 0 && random.one_in(3)) --target;
  return std::size_t(tile_items<T>(target) * random.between(1, 2) + random.between(-1, 1));
}

/// Three to six tiles of the widest target.
template <class T>
std::size_t long_size(random_source& random) {
  std::int64_t widest = 0;
  for (std::size_t i = 0; i < cpu::tables().size(); ++i)
    widest = std::max(widest, tile_items<T>(i));
  const bool edge = random.one_in(3);
  return std::size_t(widest * random.between(3, 5) +
                     (edge ? std::int64_t(random.below(2)) : std::int64_t(random.below(widest))));
}

}  // namespace onefold::test
