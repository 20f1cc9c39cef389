// SPDX-License-Identifier: Apache-2.0
// Segments of every kind, type and operator: the bits of the same elements as an array of their
// own, and of a walk over them; the same for every number of threads.
#include "onefold/segments.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <set>

#include "onefold/onefold.hpp"
#include "state/accumulator.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/fast_model.hpp"
#include "support/oracle.hpp"
#include "support/walked_states.hpp"

namespace onefold::test {
namespace {

using detail::tag;
using bytes = std::vector<std::byte>;
using offset_list = std::vector<std::int64_t>;

enum class cut { equal, ragged, mostly_empty, tiny_and_one_long, one, none, gaps_at_the_ends };
constexpr int cuts = 7;

offset_list make_offsets(random_source& random, cut how, std::int64_t n) {
  if (how == cut::none) return {random.between(0, int(n))};
  if (how == cut::one) return {0, n};
  const std::int64_t first = how == cut::gaps_at_the_ends ? n / 5 : 0;
  const std::int64_t last = n - first, step = 1 + std::int64_t(random.below(40));
  offset_list offsets = {first};
  if (how == cut::mostly_empty) offsets.insert(offsets.end(), 3 + random.below(50), first);
  while (offsets.back() < last) {
    std::int64_t next = step;
    if (how != cut::equal) next = std::int64_t(random.below(std::uint64_t(step) + 2));
    if (how == cut::mostly_empty && !random.one_in(5)) next = 0;
    if (how == cut::tiny_and_one_long) next = random.one_in(9) ? n / 2 : random.between(0, 2);
    offsets.push_back(std::min(last, offsets.back() + next));
  }
  return offsets;
}

// A view of one axis and its memory.
struct strided {
  dtype type;
  std::int64_t n, stride, before;
  bytes memory;

  const std::byte* at(std::int64_t i) const { return memory.data() + before + i * stride; }
  array_view view() const { return {at(0), type, {{n, stride}}}; }
  bytes part(std::int64_t first, std::int64_t last) const {
    bytes copy;
    for (std::int64_t i = first; i < last; ++i)
      copy.insert(copy.end(), at(i), at(i) + size_bytes(type));
    return copy;
  }
};

strided make_strided(random_source& random, dtype type, std::int64_t n) {
  const auto item = std::int64_t(size_bytes(type));
  const std::int64_t strides[] = {item, item, item, item, 2 * item, -item, item + 3, 0, -3};
  strided x{type, n, strides[random.below(std::size(strides))], 0, {}};
  const std::int64_t reach = x.stride * std::max<std::int64_t>(n - 1, 0);
  x.before = std::max<std::int64_t>(0, -reach) + (random.one_in(3) ? 1 : 0) * random.between(0, 8);
  x.memory.resize(std::size_t(x.before + std::abs(reach) + item));
  for (auto& byte : x.memory) byte = std::byte(random() >> 13);
  with_type(type, [&]<class T>(tag<T>) {
    const bool wild = random.one_in(4);
    for (std::int64_t i = 0; i < n && !wild; ++i) {
      T element = tame<T>(random);
      if constexpr (!std::is_integral_v<T>)
        if (random.one_in(300)) element = detail::from_bits<T>(detail::float_format<T>::quiet_nan);
      std::memcpy(x.memory.data() + x.before + i * x.stride, &element, sizeof element);
    }
  });
  return x;
}

struct request {
  onefold::op op;
  dtype output;
  options how;
  bytes mask;
};

bool takes_initial(op op) {
  return op == op::sum || op == op::prod || op == op::min || op == op::max || op == op::minmax ||
         op == op::norminf;
}

request make_request(random_source& random, const strided& x) {
  request request{};
  do request.op = all_ops[random.below(std::size(all_ops))];
  while (request.op == op::dot ||
         (accumulator_of(request.op) == accumulator::bits && is_floating(x.type)));
  request.output = default_output(request.op, x.type);
  if (is_floating(request.output) && random.one_in(3))
    request.output = all_dtypes[9 + random.below(4)];
  request.how.nan_policy = nan_policy(random.below(3));
  request.how.correction = random.between(0, 2) * 0.5;
  request.how.first_index = random.between(0, 1000);
  if (random.one_in(4)) request.how.accuracy = accuracy::fast;
  if (takes_initial(request.op) && random.one_in(3)) request.how.initial = random.between(0, 1);
  if (request.op != op::argmin && request.op != op::argmax && random.one_in(6)) {
    request.mask.resize(std::size_t(x.n) + 1);
    for (auto& byte : request.mask) byte = std::byte(random.below(3));
  }
  return request;
}

options with_mask(const request& request, std::int64_t first, std::int64_t last) {
  options how = request.how;
  if (!request.mask.empty())
    how.where = array_view(request.mask.data() + first, dtype::boolean, {{last - first, 1}});
  return how;
}

struct expected {
  std::set<status_code> codes;
  bytes answers;
};

std::size_t answer_bytes(const request& request) {
  return std::size_t(answers_of(request.op)) * size_bytes(request.output);
}

// Every segment as an array of its own, in logical order.
expected one_by_one(const strided& x, const request& request, const offset_list& offsets) {
  expected all{{}, bytes((offsets.size() - 1) * answer_bytes(request))};
  std::byte* to = all.answers.data();
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k, to += answer_bytes(request)) {
    options how = with_mask(request, offsets[k], offsets[k + 1]);
    how.first_index += offsets[k];
    output_view place(to, request.output);
    if (answers_of(request.op) > 1)
      place = {to, request.output, {{2, std::int64_t(size_bytes(request.output))}}};
    const bytes part = x.part(offsets[k], offsets[k + 1]);
    const array_view alone(part.data(), x.type,
                           {{offsets[k + 1] - offsets[k], std::int64_t(size_bytes(x.type))}});
    const auto done = reduce(executor::cpu{1}, request.op, {alone}, place, how);
    if (!done) all.codes.insert(done.code());
  }
  if (all.codes.empty()) all.codes.insert(status_code::ok);
  return all;
}

template <class T>
T zero_or_one(bool one) {
  if constexpr (std::is_arithmetic_v<T>) {
    return T(one);
  } else {
    return one ? make<T>(false, 0, 0) : T{};
  }
}

// Every segment as a state that was filled element by element.
expected walked(const strided& x, const request& request, const offset_list& offsets) {
  expected all{{}, bytes((offsets.size() - 1) * answer_bytes(request))};
  std::byte* to = all.answers.data();
  with_type(x.type, [&]<class T>(tag<T>) {
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k, to += answer_bytes(request)) {
      walked_states<T> known;
      for (std::int64_t i = offsets[k]; i < offsets[k + 1]; ++i)
        if (request.mask.empty() || request.mask[std::size_t(i)] != std::byte(0))
          known.add(stored<T>(x.at(i)), request.how.first_index + i);
      if (request.how.initial) known.add(zero_or_one<T>(*request.how.initial == scalar(1)), -1);
      state made(request.op, x.type);
      detail::state_access::known(made) = known.state_for(request.op);
      const auto done =
          made.write(to, request.output, {request.how.nan_policy, request.how.correction});
      if (!done) all.codes.insert(done.code());
    }
  });
  if (all.codes.empty()) all.codes.insert(status_code::ok);
  return all;
}

bool has_walk(const request& request) {
  const bool plain =
      request.how.accuracy == accuracy::exact || accumulator_of(request.op) > accumulator::moments;
  return request.op != op::prod && plain;
}

std::pair<status, bytes> got(const strided& x, const request& request, const offset_list& offsets,
                             int threads) {
  const auto count = std::int64_t(offsets.size()) - 1;
  const auto item = std::int64_t(size_bytes(request.output));
  bytes answers(std::size_t(count) * answer_bytes(request));
  output_view place(answers.data(), request.output, {{count, item}});
  if (answers_of(request.op) > 1)
    place = {answers.data(), request.output, {{count, 2 * item}, {2, item}}};
  auto done = reduce_segments(executor::cpu{threads}, request.op, x.view(), offsets, place,
                              with_mask(request, 0, x.n));
  return {done, answers};
}

std::string text_of(const strided& x, const request& request, cut how, std::uint64_t index) {
  return "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", request " + std::to_string(index) +
         ": " + std::string(name(request.how.accuracy)) + " " + std::string(name(request.op)) +
         " of " + std::to_string(x.n) + " " + std::string(name(x.type)) + ", stride " +
         std::to_string(x.stride) + " B, to " + std::string(name(request.output)) + ", nan " +
         std::string(name(request.how.nan_policy)) + ", cut " + std::to_string(int(how)) +
         (request.mask.empty() ? "" : ", masked") + (request.how.initial ? ", initial" : "");
}

void try_request(std::uint64_t index) {
  random_source random = source_of(5100, index);
  const auto x = make_strided(random, all_dtypes[random.below(std::size(all_dtypes))],
                              std::int64_t(random.below(random.one_in(20) ? 60'000 : 700)));
  const auto how = cut(random.below(cuts));
  const auto request = make_request(random, x);
  const auto offsets = make_offsets(random, how, x.n);
  const auto context = text_of(x, request, how, index);
  const auto right = one_by_one(x, request, offsets);
  if (has_walk(request)) {
    const auto also = walked(x, request, offsets);
    ASSERT_EQ(right.codes, also.codes) << context;
    if (*right.codes.begin() == status_code::ok) {
      ASSERT_EQ(right.answers, also.answers) << context;
    }
  }
  const auto [done, answers] = got(x, request, offsets, random.between(1, 3));
  ASSERT_TRUE(right.codes.count(done.code())) << context << ": " << done.message();
  if (done.ok()) {
    EXPECT_EQ(answers, right.answers) << context;
  }
}

TEST(segments, are_their_elements_as_arrays_of_their_own) {
  const auto count = std::uint64_t(cases(8000, 500));
  for (std::uint64_t k = 0; k < count && !HasFailure(); ++k) try_request(k);
}

// One segment that all threads share, among many that they divide.
template <class T>
void try_long_segment(op op, const options& how) {
  random_source random = source_of(5200, std::uint64_t(op) * 16 + sizeof(T));
  strided x{dtype_of<T>, 700'000, sizeof(T), 0, bytes(700'000 * sizeof(T))};
  for (std::int64_t i = 0; i < x.n; ++i) {
    const T element = tame<T>(random);
    std::memcpy(x.memory.data() + i * x.stride, &element, sizeof element);
  }
  offset_list offsets = {0};
  while (offsets.back() < 20'000) offsets.push_back(offsets.back() + random.between(0, 9));
  offsets.push_back(offsets.back() + 8 * 65536 + random.between(-1, 70'000));
  while (offsets.back() < x.n)
    offsets.push_back(std::min<std::int64_t>(x.n, offsets.back() + random.between(0, 30)));
  const request request{op, default_output(op, x.type), how, {}};
  const auto right = one_by_one(x, request, offsets);
  for (const int threads : thread_counts) {
    const auto [done, answers] = got(x, request, offsets, threads);
    ASSERT_TRUE(right.codes.count(done.code())) << done.message();
    if (done.ok()) {
      EXPECT_EQ(answers, right.answers) << name(op) << ", " << threads << " threads";
    }
  }
}

TEST(segments, with_a_long_one_among_short_ones_have_the_same_bits_on_any_threads) {
  std::uint64_t index = 0;
  for (const op op : {op::sum, op::mean, op::var, op::norm2, op::argmax, op::minmax, op::count,
                      op::prod, op::logsumexp}) {
    if (!is_taken(index++)) continue;
    try_long_segment<float>(op, {.nan_policy = nan_policy::omit, .first_index = 7});
    try_long_segment<std::int16_t>(op, {.initial = std::nullopt});
  }
  for (const op op : {op::sum, op::stddev, op::norm1}) {
    if (!is_taken(index++)) continue;
    try_long_segment<double>(op, {.accuracy = accuracy::fast});
    try_long_segment<f16>(op, {.accuracy = accuracy::fast, .nan_policy = nan_policy::omit});
  }
}

TEST(segments, sum_to_what_the_oracle_says) {
  for (std::uint64_t k = 0; k < 200; ++k) {
    random_source random = source_of(5300, k);
    std::vector<double> x(1 + random.below(3000));
    for (auto& element : x)
      element = (random.unit() - 0.5) * std::ldexp(1, random.between(-60, 60));
    const auto offsets = make_offsets(random, cut(random.below(cuts)), std::int64_t(x.size()));
    const auto sums = segments<op::sum>(x, offsets);
    const auto fast = segments<op::sum>(x, offsets, {.accuracy = accuracy::fast});
    ASSERT_EQ(sums.size(), std::int64_t(offsets.size()) - 1);
    for (std::int64_t i = 0; i < sums.size(); ++i) {
      const std::vector<double> part(x.begin() + offsets[i], x.begin() + offsets[i + 1]);
      oracle<double> right;
      right.add(part.data(), std::int64_t(part.size()));
      EXPECT_EQ(hex(as_bits(sums[i])), hex(right.value())) << "ONEFOLD_TEST_SEED=" << seed();
      EXPECT_EQ(hex(as_bits(fast[i])), hex(as_bits(fast_model<double>::sum(part)))) << k;
    }
  }
}

TEST(segments, of_minmax_are_two_columns) {
  const std::vector<float> x = {3, 1, 2, 9, 7};
  const auto ends = segments<op::minmax>(x, offset_list{0, 3, 5});
  EXPECT_EQ(ends.shape(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(std::vector<float>(ends.begin(), ends.end()), (std::vector<float>{1, 3, 7, 9}));
}

TEST(segments, that_are_empty_have_the_answers_of_nothing) {
  const std::vector<float> x = {1, 2}, none;
  const offset_list empty = {1, 1, 1};
  EXPECT_EQ(as_bits(segments<op::sum>(x, empty)[1]), 0u);
  EXPECT_EQ(segments<op::prod>(x, empty)[0], 1.0f);
  EXPECT_EQ(segments<op::sum>(none, offset_list{0, 0})[0], 0.0f);
  EXPECT_EQ(segments<op::sum>(none, offset_list{0}).size(), 0);
  const auto refused = try_segments<op::min>(x, empty);
  EXPECT_EQ(refused.why().code(), status_code::empty);
  EXPECT_EQ(segments<op::min>(x, empty, {.initial = 5})[1], 5.0f);
}

void expect_refused(const offset_list& offsets, const std::string& words) {
  const std::vector<float> x = {1, 2, 3};
  const auto refused = try_segments<op::sum>(x, offsets);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.why().code(), status_code::mismatch);
  EXPECT_NE(refused.why().message().find(words), std::string::npos) << refused.why().message();
}

TEST(segments, refuse_offsets_that_fall_or_reach_beyond_the_ends) {
  expect_refused({0, 2, 1}, "offset 2 is 1");
  expect_refused({0, 2, 4}, "offset 2 is 4");
  expect_refused({4}, "offset 0 is 4");
  expect_refused({-1, 2}, "offset 0 is -1");
  expect_refused({0, INT64_MIN, 2}, "offset 1");
  expect_refused({0, INT64_MAX}, "offset 1");
  expect_refused({}, "no offset");
}

TEST(segments, refuse_views_and_outputs_of_other_shapes) {
  const std::vector<float> x = {1, 2, 3, 4};
  const offset_list offsets = {0, 2, 4};
  float answers[4] = {-1, -1, -1, -1};
  const array_view square(x.data(), dtype::f32, {{2, 8}, {2, 4}});
  const auto try_them = [&](op op, const array_view& view, const axis_list& axes) {
    return reduce_segments({}, op, view, offsets, {answers, dtype::f32, axes}).code();
  };
  EXPECT_EQ(try_them(op::sum, square, {{2, 4}}), status_code::mismatch);
  EXPECT_EQ(try_them(op::sum, x, {{3, 4}}), status_code::mismatch);
  EXPECT_EQ(try_them(op::sum, x, {}), status_code::mismatch);
  EXPECT_EQ(try_them(op::minmax, x, {{2, 4}}), status_code::mismatch);
  EXPECT_EQ(try_them(op::minmax, x, {{2, 4}, {2, 8}}), status_code::mismatch);
  EXPECT_EQ(try_them(op::dot, x, {{2, 4}}), status_code::unsupported);
  EXPECT_EQ(try_them(op::bit_and, x, {{2, 4}}), status_code::unsupported);
  for (const float answer : answers) EXPECT_EQ(answer, -1);
  EXPECT_EQ(try_them(op::sum, x, {{2, 8}}), status_code::ok);
  EXPECT_EQ(answers[0], 3);
  EXPECT_EQ(answers[1], -1) << "between two answers";
  EXPECT_EQ(answers[2], 7);
}

}  // namespace
}  // namespace onefold::test
