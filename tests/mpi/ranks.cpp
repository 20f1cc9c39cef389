// SPDX-License-Identifier: Apache-2.0
// Run by mpirun: reductions over ranks next to those of one process, in bytes. Every rank makes the
// same arrays from one seed, and has its part of them.
//
//   ranks [--die]    --die: a rank ends in the middle of a reduction; no rank may get an answer
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>

#include "collective/parts.hpp"
#include "mpi/expect.hpp"
#include "onefold/mpi.hpp"
#include "state/element_types.hpp"

namespace onefold::test {
namespace {

// The first element of each rank's part, some of them empty, and the end.
std::vector<std::size_t> parts_of(random_source& random, std::size_t n) {
  std::vector<std::size_t> cuts = {0, n};
  for (int i = 1; i < ranks; ++i) cuts.push_back(random.below(n + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// The state of one process. Products depend on the cut into states: theirs are merged.
template <class T>
state of_one_process(op op, const std::vector<T>& x, const std::vector<std::size_t>& cuts) {
  if (op != op::prod) return partial(op, x);
  state all(op, dtype_of<T>);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    all.merge(state_of(op, x, cuts[i], cuts[i + 1]));
  return all;
}

template <class T>
void whole_arrays(op op, const std::vector<T>& x, const std::vector<std::size_t>& cuts) {
  const auto said = [&] { return std::string(name(op)) + " of " + std::string(name(dtype_of<T>)); };
  const std::size_t first = cuts[std::size_t(rank_of_this)];
  const array_view part(x.data() + first, cuts[std::size_t(rank_of_this) + 1] - first);
  const state wanted = of_one_process(op, x, cuts);
  const auto whole = mpi::try_all_reduce(op, part, MPI_COMM_WORLD);
  expect(whole.ok() && whole->bytes() == wanted.bytes(), said);

  if (x.size() % 4 == 0) {  // some: it is another message of all ranks
    const int root = int(x.size() / 4) % ranks;
    const auto at_root = mpi::try_reduce(op, part, root, MPI_COMM_WORLD);
    expect(at_root.ok() &&
               (rank_of_this == root ? at_root->bytes() == wanted.bytes()
                                     : at_root->count() == std::int64_t(part.axes()[0].extent)),
           [&] { return "at rank " + std::to_string(root) + ": " + said(); });
  }

  // By an operation of MPI on bytes.
  const mpi::state_operation operation(op, dtype_of<T>);
  options options;
  options.first_index = std::int64_t(first);
  std::vector<std::byte> bytes = partial(op, part, options).bytes(), merged(bytes.size());
  MPI_Allreduce(bytes.data(), merged.data(), 1, operation.type(), operation.operation(),
                MPI_COMM_WORLD);
  // Which states MPI merges first is not known, and products depend on it.
  const auto read = state::from_bytes(merged);
  expect(op == op::prod ? read.ok() && read->count() == wanted.count() : merged == wanted.bytes(),
         said);
}

// Columns, whose elements are split over the ranks.
template <class T>
void columns(op op, random_source& random, const std::vector<T>& x) {
  const std::size_t width = 1 + random.below(5), height = x.size() / width;
  const auto cuts = parts_of(random, height);
  const std::size_t first = cuts[std::size_t(rank_of_this)];
  const auto view = [&](std::size_t from, std::size_t rows) {
    const std::int64_t extents[] = {std::int64_t(rows), std::int64_t(width)};
    return array_view(x.data() + from * width, dtype_of<T>, row_major(extents, sizeof(T)));
  };
  options down;
  down.axes = axis(0);
  const std::int64_t shape[] = {std::int64_t(width)};
  std::vector<double> got(width), wanted(width);
  const output_view all(wanted.data(), dtype::f64, row_major(shape, 8));
  const output_view each(got.data(), dtype::f64, row_major(shape, 8));
  const auto one = reduce(executor{}, op, {view(0, height)}, all, down);
  const auto many = mpi::all_reduce(op, view(first, cuts[std::size_t(rank_of_this) + 1] - first),
                                    each, MPI_COMM_WORLD, down);
  expect(one.code() == many.code() &&
             (!one || std::memcmp(got.data(), wanted.data(), 8 * width) == 0),
         [&] { return "columns: " + std::string(name(op)) + ": " + many.message(); });
}

// Element by element, of an array on each rank.
template <class T>
void elements(random_source& random) {
  const std::size_t n = random.below(50);
  std::vector<T> all;
  for (int i = 0; i < ranks; ++i) {
    auto x = any_elements<T>(random, 100);
    x.resize(n);
    all.insert(all.end(), x.begin(), x.end());
  }
  const std::int64_t shape[] = {ranks, std::int64_t(n)};
  const array_view rows(all.data(), dtype_of<T>, row_major(shape, sizeof(T)));
  options down;
  down.axes = axis(0);
  for (const op op : {op::sum, op::mean, op::max}) {
    std::vector<T> wanted(n);
    const status one = reduce(executor{}, op, rows, wanted, down);
    const auto first = all.begin() + std::ptrdiff_t(n) * rank_of_this;
    std::vector<T> part(first, first + std::ptrdiff_t(n));
    const status many = mpi::all_reduce_elements(op, std::span(part), MPI_COMM_WORLD);
    expect(one.code() == many.code() &&
               (!one || n == 0 || std::memcmp(part.data(), wanted.data(), n * sizeof(T)) == 0),
           [&] { return "elements: " + std::string(name(op)) + ": " + many.message(); });
  }
}

template <class T>
void all_operators(std::uint64_t k) {
  random_source random(seed() * 1000003 + k);
  const auto x = any_elements<T>(random, k % 4 == 0 ? 2000 : 20);
  const auto cuts = parts_of(random, x.size());
  if constexpr (is_floating(dtype_of<T>)) elements<T>(random);
  for (const op op : all_ops) {
    if (op == op::dot || !check_element_type(op, dtype_of<T>)) continue;
    whole_arrays(op, x, cuts);
    const bool to_double = op != op::minmax && default_output(op, dtype_of<T>) == dtype::f64;
    if (to_double && op != op::prod && !x.empty()) columns(op, random, x);
  }
}

// More states than are combined at a time.
void many_states() {
  std::vector<state> states;
  for (int i = 0; i < 5000; ++i)
    states.push_back(partial(op::sum, std::vector<double>{double(i) + rank_of_this}));
  const status done = mpi::try_all_reduce(states, MPI_COMM_WORLD);
  for (int i = 0; i < 5000; ++i)
    expect(done.ok() && states[std::size_t(i)].value() ==
                            double(ranks) * i + double(ranks) * (ranks - 1) / 2,
           [&] { return "state " + std::to_string(i) + " of many: " + done.message(); });
}

void errors() {
  if (ranks == 1) return;
  const std::vector<double> x = {1, 2, 3};
  const bool last = rank_of_this == ranks - 1;
  expect_one_error(mpi::try_all_reduce(last ? op::max : op::sum, x, MPI_COMM_WORLD).why(),
                   status_code::mismatch, "from sum to max");
  const std::vector<float> y = {1};
  expect_one_error(
      mpi::try_all_reduce(op::sum, last ? array_view(y) : array_view(x), MPI_COMM_WORLD).why(),
      status_code::mismatch, "from f32 to f64");
  options fast;
  if (last) fast.accuracy = accuracy::fast;
  expect_one_error(mpi::try_all_reduce(op::sum, x, MPI_COMM_WORLD, fast).why(),
                   status_code::unsupported, "rank " + std::to_string(ranks - 1) + ": ");
  std::vector<state> states(last ? 2 : 3, state(op::sum, dtype::f64));
  expect_one_error(mpi::try_all_reduce(states, MPI_COMM_WORLD), status_code::mismatch,
                   "from 2 to 3");
}

void at_one_rank() {
  const std::vector<double> x = {1, 2, double(rank_of_this)};
  const auto sum = mpi::reduce<double>(op::sum, x, ranks - 1, MPI_COMM_WORLD);
  const bool here = rank_of_this == ranks - 1;
  expect(sum.has_value() == here, [] { return "a sum at the last rank"; });
  expect(!here || *sum == 3.0 * ranks + ranks * (ranks - 1) / 2,
         [&] { return "the sum at the last rank: " + std::to_string(*sum); });
  const auto dot = mpi::reduce<double>(op::dot, {x, x}, 0, MPI_COMM_WORLD);
  expect(dot.has_value() == (rank_of_this == 0), [] { return "a dot product at the first rank"; });
}

int run() {
  std::uint64_t chosen = rank_of_this == 0 ? seed() : 0;
  MPI_Bcast(&chosen, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  setenv("ONEFOLD_TEST_SEED", std::to_string(chosen).c_str(), 1);
  for (std::uint64_t k = 0; k < std::uint64_t(cases(12)); ++k) {
    all_operators<double>(8 * k);
    all_operators<float>(8 * k + 1);
    all_operators<f16>(8 * k + 2);
    all_operators<bf16>(8 * k + 3);
    all_operators<std::int64_t>(8 * k + 4);
    all_operators<std::uint8_t>(8 * k + 5);
  }
  many_states();
  at_one_rank();
  errors();
  return report();
}

void die() {
  const std::vector<double> x = {1, 2, 3};
  if (rank_of_this == ranks - 1) std::abort();
  const double answer = mpi::all_reduce<double>(op::sum, x, MPI_COMM_WORLD);
  std::cout << "the answer is " << answer << std::endl;
}

}  // namespace
}  // namespace onefold::test

int main(int argc, char** argv) {
  using namespace onefold::test;
  MPI_Init(&argc, &argv);
  know_ranks();
  int code = 0;
  if (argc > 1 && std::string(argv[1]) == "--die")
    die();
  else
    code = run();
  MPI_Finalize();
  return code;
}
