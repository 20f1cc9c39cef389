// SPDX-License-Identifier: Apache-2.0
// Extrema over the ranks of a faked NCCL: the answers and positions are those of one process,
// nobody waits, and a capture holds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collective/parts.hpp"
#include "cuda/device_test.hpp"
#include "cuda/fake_nccl.hpp"
#include "cuda/fake_runtime.hpp"
#include "cuda/kernels/ranks/rank_extrema.hpp"
#include "onefold/detail/additive.hpp"
#include "onefold/nccl.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::any_elements;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;
using state_access = onefold::detail::state_access;

const executor::cuda gpu;
constexpr op operators[] = {op::min, op::max, op::minmax, op::argmin, op::argmax, op::norminf};

/// x[answers][n], of which each rank has a range of the columns.
template <class T>
struct shared_rows {
  std::vector<T> x;
  std::int64_t answers, n;
  std::vector<std::int64_t> cuts;

  array_view part(const T* from, std::int64_t first, std::int64_t last) const {
    const auto item = std::int64_t(sizeof(T));
    axis_list axes = {{last - first, item}};
    if (answers > 1) axes = {{answers, n * item}, {last - first, item}};
    return {from + first, dtype_of<T>, axes};
  }
  onefold::detail::extrema state_of(int rank, std::int64_t k) const {
    const auto first = cuts[std::size_t(rank)], last = cuts[std::size_t(rank) + 1];
    const state made = partial(op::max, array_view(x.data() + k * n + first, dtype_of<T>,
                                                   {{last - first, std::int64_t(sizeof(T))}}));
    return std::get<onefold::detail::extrema>(state_access::known(made));
  }
};

void take_maxima(std::vector<std::int64_t>& all, const std::vector<std::int64_t>& other) {
  if (all.empty()) all = other;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], other[i]);
}

// What the other ranks send: the keys, and the positions of those that have the keys of all.
template <class T>
void plan_words(const shared_rows<T>& rows, const extrema_request& own, ncclComm& comm) {
  std::vector<std::int64_t> others, everyone, positions;
  for (int rank = 0; rank < comm.ranks; ++rank) {
    extrema_request request = own;
    request.rank = rank;
    std::vector<std::int64_t> keys(std::size_t(key_words(request)));
    for (std::int64_t k = 0; k < rows.answers; ++k)
      write_key_words(request, rows.state_of(rank, k), k, keys.data());
    take_maxima(everyone, keys);
    if (rank != own.rank) take_maxima(others, keys);
  }
  for (int rank = 0; rank < comm.ranks; ++rank) {
    extrema_request request = own;
    request.rank = rank;
    std::vector<std::int64_t> words(std::size_t(position_words(request)));
    for (std::int64_t k = 0; k < rows.answers && request.positions; ++k)
      write_position_words(request, rows.state_of(rank, k), k, everyone.data(), words.data());
    if (rank != own.rank) take_maxima(positions, words);
  }
  comm.words = {others};
  if (own.positions) comm.words.push_back(positions);
}

template <class T>
shared_rows<T> any_shared_rows(random_source& random, int ranks) {
  const std::int64_t answers = random.one_in(2) ? 1 : random.between(2, 4);
  shared_rows<T> made{any_elements<T>(random, 900), answers, 0, {0}};
  made.n = std::int64_t(made.x.size()) / answers;
  for (int i = 1; i < ranks; ++i)
    made.cuts.push_back(std::int64_t(random.below(std::uint64_t(made.n + 1))));
  made.cuts.push_back(made.n);
  std::sort(made.cuts.begin(), made.cuts.end());
  return made;
}

template <class T>
void expect_one_process(random_source& random, op operation) {
  constexpr dtype type = dtype_of<T>;
  ncclComm comm;
  comm.ranks = random.between(2, 5), comm.rank = random.between(0, comm.ranks - 1);
  const auto rows = any_shared_rows<T>(random, comm.ranks);
  const dtype output = default_output(operation, type);
  const std::int64_t each = operation == op::minmax ? 2 : 1,
                     item = std::int64_t(size_bytes(output));
  axis_list places;
  if (rows.answers > 1) places.push_back({rows.answers, each * item});
  if (each > 1) places.push_back({each, item});
  options how;
  how.nan_policy = nan_policy(random.below(3)), how.first_index = random.between(0, 9);
  if (rows.answers > 1) how.axes = axis(1);
  const std::vector<unsigned char> blank(std::size_t(rows.answers * each * item), 0xA5);
  const device_bytes there(rows.x), answers(blank), code(std::vector<std::int32_t>(1));
  std::vector<unsigned char> wanted = blank;
  const status expected =
      reduce(executor::cpu{1}, op_list(operation), {rows.part(rows.x.data(), 0, rows.n)},
             {output_view(wanted.data(), output, places)}, how);
  const bool positions = operation == op::argmin || operation == op::argmax;
  extrema_request own = {type,
                         onefold::detail::additive_signature(operation, type) +
                             (std::int64_t(how.nan_policy) * 9 << 10),
                         rows.answers,
                         comm.ranks,
                         comm.rank,
                         positions,
                         {}};
  own.finish.first_index = how.first_index;
  plan_words(rows, own, comm);
  how.status_out = code.as<std::int32_t>();
  const auto first = rows.cuts[std::size_t(comm.rank)];
  const auto last = rows.cuts[std::size_t(comm.rank) + 1];
  const status done = nccl::all_reduce(gpu, operation, rows.part(there.as<T>(), first, last),
                                       output_view(answers.data(), output, places), &comm, how);
  const std::string said = std::string(name(operation)) + " of " + std::string(name(type)) +
                           ", rank " + std::to_string(comm.rank) + " of " +
                           std::to_string(comm.ranks) +
                           ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
  ASSERT_TRUE(done.ok()) << done.message() << said;
  EXPECT_EQ(comm.reduced, comm.words.size()) << said;
  ASSERT_EQ(code.get<std::int32_t>()[0], int(expected.code())) << said;
  if (expected.ok()) {
    EXPECT_EQ(answers.get<unsigned char>(), wanted) << said;
  }
}

template <class T>
void expect_all_operators() {
  random_source random = source_of(64, std::uint64_t(dtype_of<T>));
  for (const op op : operators)
    for (int repeat = 0; repeat < 6; ++repeat) expect_one_process<T>(random, op);
}

TEST(cuda_nccl_extrema, the_answers_are_those_of_one_process) {
  expect_all_operators<f16>(), expect_all_operators<float>(), expect_all_operators<double>();
  expect_all_operators<std::int8_t>(), expect_all_operators<std::int64_t>();
  expect_all_operators<std::uint64_t>();
}

/// argmax of four elements, on the second of two ranks.
struct second_of_two {
  std::vector<double> x = {1, 7, 7, 2};
  device_bytes there{x}, answer{std::vector<std::int64_t>(1)}, code{std::vector<std::int32_t>(1)};
  ncclComm comm;
  status argmax(const options& how = {}) {
    const shared_rows<double> rows = {{5, 7, 0, 1, 7, 7, 2}, 1, 7, {0, 3, 7}};
    comm.ranks = 2, comm.rank = 1, comm.reduced = 0;
    plan_words(rows,
               {dtype::f64,
                onefold::detail::additive_signature(op::argmax, dtype::f64),
                1,
                2,
                1,
                true,
                {}},
               comm);
    options own = how;
    own.status_out = code.as<std::int32_t>();
    return nccl::all_reduce(gpu, op::argmax, {there.data(), dtype::f64, {{4, 8}}},
                            output_view(answer.data(), dtype::i64), &comm, own);
  }
};

TEST(cuda_nccl_extrema, nobody_waits_and_a_capture_holds_it) {
  second_of_two second;
  ASSERT_TRUE(second.argmax().ok());
  EXPECT_EQ(second.answer.get<std::int64_t>()[0], 1);
  options how;
  how.status_out = second.code.as<std::int32_t>();
  const auto size = nccl::all_reduce_workspace_size(
      gpu, op::argmax, {{second.there.data(), dtype::f64, {{4, 8}}}},
      {output_view(second.answer.data(), dtype::i64)}, how, 2);
  ASSERT_TRUE(size.ok()) << size.why().message();
  const device_bytes room(*size);
  how.workspace = {room.data(), *size};
  ASSERT_TRUE(workspace_init(gpu, room.data(), *size).ok());
  const int allocated = allocations(), waited = waits_so_far();
  capture(nullptr, true);
  const status done = second.argmax(how);
  capture(nullptr, false);
  EXPECT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(allocations(), allocated);
  EXPECT_EQ(waits_so_far(), waited);
  how.workspace.bytes = *size - 1;
  EXPECT_EQ(second.argmax(how).code(), status_code::usage);
}

TEST(cuda_nccl_extrema, ranks_that_ask_for_something_else_are_reported) {
  second_of_two second;
  ncclComm& comm = second.comm;
  comm.ranks = 2, comm.rank = 1;
  const shared_rows<double> rows = {{5, 7, 0, 1, 7, 7, 2}, 1, 7, {0, 3, 7}};
  plan_words(
      rows,
      {dtype::f64, onefold::detail::additive_signature(op::min, dtype::f64), 1, 2, 1, false, {}},
      comm);
  options how;
  how.status_out = second.code.as<std::int32_t>();
  const device_bytes out(std::vector<double>(1));
  ASSERT_TRUE(nccl::all_reduce(gpu, op::max, {second.there.data(), dtype::f64, {{4, 8}}},
                               output_view(out.data(), dtype::f64), &comm, how)
                  .ok());
  EXPECT_EQ(second.code.get<std::int32_t>()[0], int(status_code::mismatch));
}

}  // namespace
}  // namespace onefold::cuda::test
