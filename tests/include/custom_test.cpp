// SPDX-License-Identifier: Apache-2.0
// A user's operator: elements in logical order, parts merged in that order, whatever the strides,
// the axes, the mask and the number of threads.
#include "onefold/custom.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "support/each_target.hpp"
#include "support/views.hpp"

namespace onefold::test {
namespace {

// The product of matrices {{x, 1}, {1, 0}} modulo 2^32: associative, and no two of them commute
// but by accident.
struct continuant {
  std::uint32_t a = 1, b = 0, c = 0, d = 1;

  void add(std::uint32_t x) { merge({x, 1, 1, 0}); }
  void merge(const continuant& next) {
    *this = {a * next.a + b * next.c, a * next.b + b * next.d, c * next.a + d * next.c,
             c * next.b + d * next.d};
  }
  friend bool operator==(const continuant&, const continuant&) = default;
};

// The first and the last element and how many there are, with memory of its own: no state may be
// copied as bytes.
struct ends {
  std::vector<double> both;
  std::int64_t count = 0;

  void add(double x) {
    if (both.empty()) both = {x, x};
    both[1] = x, ++count;
  }
  void merge(const ends& next) {
    if (next.both.empty()) return;
    if (both.empty()) both = next.both;
    both[1] = next.both[1], count += next.count;
  }
  friend bool operator==(const ends&, const ends&) = default;
};

template <class R, class T>
R folded(const std::vector<T>& x) {
  R state;
  for (const T& element : x) state.add(element);
  return state;
}

std::vector<std::uint32_t> make_words(random_source& random, std::size_t n) {
  std::vector<std::uint32_t> x(n);
  for (auto& word : x) word = std::uint32_t(random());
  return x;
}

TEST(reducer, that_does_not_commute_sees_logical_order_on_any_threads) {
  for (const std::size_t n : {0, 1, 2, 127, 65536, 65537, 400'000}) {
    random_source random = source_of(5400, n);
    const auto x = make_words(random, n);
    const auto right = folded<continuant>(x);
    EXPECT_EQ(reduce_with(continuant(), x), right) << n;
    for (const int threads : thread_counts) {
      const auto got =
          detail::walk_with<continuant, std::uint32_t>(executor::cpu{threads}, {}, x, {});
      ASSERT_TRUE(got.ok()) << got.why().message();
      EXPECT_EQ(got->at(0), right) << n << " elements, " << threads << " threads";
    }
  }
}

// Its elements of each answer, the mask's choice, by the walk of support/views.hpp.
struct expected_answers {
  std::vector<continuant> states;

  expected_answers(const random_view& x, const std::vector<char>& reduced,
                   const std::vector<char>& mask) {
    std::int64_t outputs = 1, flat = 0;
    for (int i = 0; i < x.axes.size(); ++i) outputs *= reduced[i] ? 1 : x.axes[i].extent;
    states.resize(std::size_t(outputs));
    walk(x.axes, [&](std::int64_t offset) {
      std::int64_t rest = flat, output = 0, scale = 1;
      for (int i = x.axes.size() - 1; i >= 0; --i) {
        if (!reduced[i]) output += rest % x.axes[i].extent * scale, scale *= x.axes[i].extent;
        rest /= x.axes[i].extent;
      }
      std::uint32_t element;
      std::memcpy(&element, x.memory.data() + x.before + offset, sizeof element);
      if (mask.empty() || mask[std::size_t(flat)]) states[std::size_t(output)].add(element);
      ++flat;
    });
  }
};

void try_view(std::uint64_t index) {
  random_source random = source_of(5500, index);
  const auto x =
      make_view(random, dtype::u32, random.between(0, 4), random.one_in(20) ? 200'000 : 3000);
  std::vector<char> reduced(std::size_t(x.axes.size()) + 1), mask;
  std::vector<int> axes;
  for (int i = 0; i < x.axes.size(); ++i)
    if ((reduced[std::size_t(i)] = char(random.one_in(2)))) axes.push_back(i);
  options how{.axes = axis_set(std::span<const int>(axes))};
  std::vector<std::int64_t> extents;
  std::int64_t items = 1;
  for (const auto& axis : x.axes) extents.push_back(axis.extent), items *= axis.extent;
  if (random.one_in(3)) {
    mask.resize(std::size_t(items) + 1);
    for (auto& byte : mask) byte = char(random.below(2));
    how.where = array_view(mask.data(), dtype::boolean, row_major(extents, 1));
  }
  const expected_answers right(x, reduced, mask);
  const auto got = detail::walk_with<continuant, std::uint32_t>(executor::cpu{random.between(1, 3)},
                                                                continuant(), x.view(), how);
  ASSERT_TRUE(got.ok()) << got.why().message();
  EXPECT_EQ(*got, right.states) << "ONEFOLD_TEST_SEED=" << seed() << ", view " << index << ": "
                                << text_of(x);
}

TEST(reducer, sees_the_elements_of_every_answer_in_logical_order) {
  const auto count = std::uint64_t(cases(6000, 300));
  for (std::uint64_t k = 0; k < count && !HasFailure(); ++k) try_view(k);
}

TEST(reducer, over_axes_gives_one_state_for_each_index_that_is_kept) {
  const double x[] = {1, 2, 3, 4, 5, 6};
  const view<double> rows(x, {2, 3});
  const auto last = reduce_with(ends(), rows, axis(1));
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(last[0], (ends{{1, 3}, 3}));
  EXPECT_EQ(last[1], (ends{{4, 6}, 3}));
  const auto first = reduce_with(ends(), rows, axis(0));
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[2], (ends{{3, 6}, 2}));
}

TEST(reducer, of_nothing_is_the_identity_that_it_was_given) {
  const std::vector<double> none;
  EXPECT_EQ(reduce_with(ends(), none), ends());
  const view<double> no_rows(none.data(), {0, 3}), no_columns(none.data(), {3, 0});
  EXPECT_EQ(reduce_with(ends(), no_rows, axis(0)), std::vector<ends>(3));
  EXPECT_EQ(reduce_with(ends(), no_columns, axis(0)), std::vector<ends>());
}

// Counts with a setting, which every part must have from the identity.
struct above {
  int bound = 0;
  std::int64_t count = 0;
  void add(std::int32_t x) { count += x > bound; }
  void merge(const above& next) {
    EXPECT_EQ(next.bound, bound);
    count += next.count;
  }
};

TEST(reducer, keeps_what_the_identity_says) {
  std::vector<std::int32_t> x(200'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::int32_t(i);
  const auto got = reduce_with(above{.bound = 150'000}, x);
  EXPECT_EQ(got.bound, 150'000);
  EXPECT_EQ(got.count, 49'999);
}

struct refusing {
  void add(double x) {
    if (x < 0) throw std::domain_error("below zero");
  }
  void merge(const refusing&) {}
};

TEST(reducer, may_throw_from_any_thread) {
  std::vector<double> x(400'000, 1.0);
  EXPECT_NO_THROW(reduce_with(refusing(), x));
  x.back() = -1;
  EXPECT_THROW(reduce_with(refusing(), x), std::domain_error);
}

TEST(reducer, is_cancelled_where_it_is_asked_to_stop) {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<double> x(10, 1.0);
  const auto got = try_reduce_with(ends(), x, {.stop = stop.get_token()});
  EXPECT_EQ(got.why().code(), status_code::cancelled);
  EXPECT_THROW(reduce_with(ends(), x, {.stop = stop.get_token()}), error);
}

TEST(reducer, refuses_axes_that_are_not_there) {
  const double x[] = {1, 2, 3, 4};
  const auto got = try_reduce_with(ends(), view<double>(x, {2, 2}), axis(2));
  EXPECT_EQ(got.why().code(), status_code::mismatch);
}

TEST(walk, gives_every_part_once_and_where_it_begins) {
  std::vector<std::int32_t> x(3 * 70'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::int32_t(i);
  const array_view rows(x.data(), dtype::i32, {{3, 280'000}, {70'000, 4}});
  const options how{.axes = axis(1), .first_index = 5};
  const auto shape = walk_of(rows, how);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->outputs, 3);
  EXPECT_EQ(shape->parts, 2);
  std::atomic<int> calls[6] = {};
  const auto done = walk(executor::cpu{3}, rows, how,
                         [&](std::int64_t output, std::int64_t part, const void* from,
                             std::int64_t n, std::int64_t first_index) {
                           ++calls[output * 2 + part];
                           EXPECT_EQ(n, part == 0 ? 65536 : 70'000 - 65536);
                           EXPECT_EQ(first_index, 5 + part * 65536);
                           std::int32_t first;
                           std::memcpy(&first, from, sizeof first);
                           EXPECT_EQ(first, output * 70'000 + part * 65536);
                         });
  EXPECT_TRUE(done.ok()) << done.message();
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace onefold::test
