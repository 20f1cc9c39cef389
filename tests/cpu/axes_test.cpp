// SPDX-License-Identifier: Apache-2.0
// Random requests (operators, axes, strides, masks, NaN policies, types of the answer) against a
// walk over the elements: the same status and the same bits for every answer.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <set>

#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"
#include "support/elements.hpp"
#include "support/views.hpp"
#include "support/walked_states.hpp"

namespace onefold::test {
namespace {

using detail::tag;

constexpr op tried[] = {op::sum, op::mean,   op::norm1, op::norm2,        op::norminf, op::sumsq,
                        op::var, op::stddev, op::min,   op::max,          op::argmin,  op::argmax,
                        op::any, op::all,    op::count, op::count_nonzero};

template <class T>
void make_tame(random_source& random, random_view& x) {
  walk(x.axes, [&](std::int64_t offset) {
    T element = tame<T>(random);
    if constexpr (!std::is_integral_v<T>)
      if (random.one_in(60)) element = detail::from_bits<T>(detail::float_format<T>::quiet_nan);
    std::memcpy(x.memory.data() + x.before + offset, &element, sizeof element);
  });
}

// One element of an answer: its bytes' offset and its place among the reduced elements.
struct found {
  std::int64_t offset;
  std::int64_t position;
};

// For each answer in row-major order, the elements that the mask lets through.
std::vector<std::vector<found>> split(const random_view& x, const std::set<int>& reduced,
                                      const std::vector<char>* mask) {
  const auto& axes = x.axes;
  std::int64_t outputs = 1;
  for (int i = 0; i < axes.size(); ++i) outputs *= reduced.count(i) ? 1 : axes[i].extent;
  std::vector<std::vector<found>> answers(static_cast<std::size_t>(outputs));
  std::vector<std::int64_t> index(static_cast<std::size_t>(axes.size()), 0);
  std::size_t flat = 0;
  walk(axes, [&](std::int64_t offset) {
    std::int64_t output = 0, position = 0, rest = std::int64_t(flat);
    for (int i = axes.size() - 1; i >= 0; --i) {
      index[std::size_t(i)] = rest % axes[i].extent;
      rest /= axes[i].extent;
    }
    for (int i = 0; i < axes.size(); ++i) {
      auto& count = reduced.count(i) ? position : output;
      count = count * axes[i].extent + index[std::size_t(i)];
    }
    if (!mask || (*mask)[flat]) answers[std::size_t(output)].push_back({offset, position});
    ++flat;
  });
  return answers;
}

struct request {
  onefold::op op;
  options how;
  std::set<int> reduced;
  dtype output;
  std::vector<char> mask;
  int threads;
};

std::string text_of(const request& request, const random_view& x, std::uint64_t index) {
  std::string axes;
  for (const int axis : request.reduced) axes.append(" ").append(std::to_string(axis));
  return "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", request " + std::to_string(index) +
         ": " + std::string(name(request.op)) + " to " + std::string(name(request.output)) +
         " over axes" + axes + (request.mask.empty() ? "" : ", masked") + ", nan " +
         std::string(name(request.how.nan_policy)) + ", " + test::text_of(x);
}

dtype any_output(random_source& random, op op, dtype input) {
  if (random.one_in(2)) return default_output(op, input);
  return is_floating(input) || random.one_in(2) ? all_dtypes[9 + random.below(4)] : dtype::i64;
}

request make_request(random_source& random, const random_view& x) {
  request request{};
  request.op = tried[random.below(std::size(tried))];
  for (int i = 0; i < x.axes.size(); ++i)
    if (random.one_in(2)) request.reduced.insert(i);
  std::vector<int> axes(request.reduced.begin(), request.reduced.end());
  request.how.axes = axis_set(std::span<const int>(axes));
  request.how.nan_policy = nan_policy(random.below(3));
  request.how.correction = random.between(0, 2) * 0.5;
  request.output = any_output(random, request.op, x.type);
  request.threads = random.between(1, 3);
  return request;
}

// A mask of the view's own shape, contiguous.
void add_mask(random_source& random, const random_view& x, request& request) {
  const bool position = request.op == op::argmin || request.op == op::argmax;
  if (position || !random.one_in(5)) return;
  std::vector<std::int64_t> extents;
  std::int64_t items = 1;
  for (const auto& axis : x.axes) extents.push_back(axis.extent), items *= axis.extent;
  request.mask.resize(std::size_t(std::max<std::int64_t>(items, 1)));
  for (auto& byte : request.mask) byte = char(random.one_in(3) ? 0 : random.between(1, 3));
  request.how.where = array_view(request.mask.data(), dtype::boolean, row_major(extents, 1));
}

using bytes = std::vector<std::byte>;

// What the states say: the answers' bytes, or the codes of all failures, any of which may be
// reported.
template <class T>
std::pair<std::set<status_code>, bytes> expected(const random_view& x, const request& request) {
  const auto answers = split(x, request.reduced, request.mask.empty() ? nullptr : &request.mask);
  const std::size_t item_bytes = size_bytes(request.output);
  bytes all(answers.size() * item_bytes);
  std::byte* to = all.data();
  std::set<status_code> codes;
  for (const auto& elements : answers) {
    walked_states<T> known;
    for (const auto& [offset, position] : elements)
      known.add(stored<T>(x.memory.data() + x.before + offset), position);
    state made(request.op, x.type);
    detail::state_access::known(made) = known.state_for(request.op);
    const auto done =
        made.write(to, request.output, {request.how.nan_policy, request.how.correction});
    if (!done) codes.insert(done.code());
    to += item_bytes;
  }
  if (codes.empty()) codes.insert(status_code::ok);
  return {codes, all};
}

template <class T>
void try_request(const random_view& x, const request& request, const std::string& where) {
  const auto [codes, answers] = expected<T>(x, request);
  const auto shape = answer_shape(x.view(), request.how);
  std::int64_t outputs = 1;
  for (const std::int64_t extent : shape) outputs *= extent;
  const auto item_bytes = std::int64_t(size_bytes(request.output));
  bytes got(std::size_t(outputs * item_bytes));
  const output_view output(got.data(), request.output, row_major(shape, item_bytes));
  const auto done =
      reduce(executor::cpu{request.threads}, request.op, {x.view()}, output, request.how);
  ASSERT_TRUE(codes.count(done.code())) << where << "\n" << name(done.code()) << done.message();
  if (done.ok()) {
    EXPECT_EQ(got, answers) << where;
  }
}

void try_requests(std::uint64_t stream, std::uint64_t count, std::int64_t most_items) {
  for (std::uint64_t k = 0; k < count && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(stream, k);
    const auto type = all_dtypes[random.below(std::size(all_dtypes))];
    auto x = make_view(random, type, random.between(0, 5), most_items);
    auto request = make_request(random, x);
    add_mask(random, x, request);
    with_type(type, [&]<class T>(tag<T>) {
      if (!random.one_in(4)) make_tame<T>(random, x);
      try_request<T>(x, request, text_of(request, x, k));
    });
  }
}

TEST(axes, give_the_answers_of_a_walk_over_the_elements) {
  try_requests(2100, std::uint64_t(cases(30'000, 1000)), 600);
}
TEST(axes, give_the_answers_of_a_walk_over_many_elements) {
  try_requests(2200, std::uint64_t(cases(300, 20)), 60'000);
}

}  // namespace
}  // namespace onefold::test
