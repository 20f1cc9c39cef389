// SPDX-License-Identifier: Apache-2.0
// Run by mpirun on two ranks or more: ranks whose calls differ in anything get one error and none
// waits; answers go where the output says.
#include <cstdint>
#include <vector>

#include "mpi/expect.hpp"
#include "onefold/mpi.hpp"

namespace onefold::test {
namespace {

const std::vector<double> numbers = {1, 2};

bool is_last() {
  return rank_of_this == ranks - 1;
}

// The status of a call that throws.
template <class Call>
status status_of(const Call& call) {
  try {
    (void)call();
  } catch (const error& failed) {
    return failed.why();
  }
  return {};
}

status sum_of(const options& options) {
  return status_of(
      [&] { return mpi::all_reduce<double>(op::sum, numbers, MPI_COMM_WORLD, options); });
}

void options_that_differ() {
  options omit, corrected, shifted;
  if (is_last()) omit.nan_policy = nan_policy::omit, corrected.correction = 1;
  expect_one_error(sum_of(omit), status_code::mismatch, "from propagate to omit");
  expect_one_error(sum_of(corrected), status_code::mismatch, "options::correction, from 0.0");
  corrected.correction = is_last() ? -0.0 : 0.0;
  expect(sum_of(corrected).ok(), [] { return "a correction of 0 is one of -0"; });

  shifted.first_index = rank_of_this;
  const auto positions = [&](op op) {
    return mpi::try_all_reduce(op, numbers, MPI_COMM_WORLD, shifted).why();
  };
  expect_one_error(positions(op::argmax), status_code::mismatch, "options::first_index");
  expect(positions(op::sum).ok(), [] { return "sums have no positions"; });
}

void types_of_answers_that_differ() {
  const auto reduced_to = [](auto first, auto last) {
    return status_of([&] {
      if (is_last())
        (void)mpi::all_reduce<decltype(last)>(op::sum, numbers, MPI_COMM_WORLD);
      else
        (void)mpi::all_reduce<decltype(first)>(op::sum, numbers, MPI_COMM_WORLD);
      return 0;
    });
  };
  expect_one_error(reduced_to(1.0, 1.0f), status_code::mismatch,
                   "types of answers, from f32 to f64");
}

void calls_that_differ() {
  const auto everywhere = [] { return mpi::all_reduce<double>(op::sum, numbers, MPI_COMM_WORLD); };
  const auto at = [](int root) {
    return [root] { return mpi::reduce<double>(op::sum, numbers, root, MPI_COMM_WORLD); };
  };
  expect_one_error(status_of(at(is_last() ? 1 : 0)), status_code::mismatch, "roots, from 0 to 1");
  expect_one_error(status_of(at(ranks)), status_code::usage, "is no rank");
  expect_one_error(status_of(at(-1)), status_code::usage, "is no rank");
  expect_one_error(is_last() ? status_of(at(0)) : status_of(everywhere), status_code::mismatch,
                   "from all_reduce to reduce");

  std::vector<double> elements = numbers;
  std::vector<state> states(1, partial(op::sum, numbers));
  const auto by_element = [&] {
    return mpi::all_reduce_elements(op::sum, std::span(elements), MPI_COMM_WORLD);
  };
  expect_one_error(is_last() ? by_element() : status_of(everywhere), status_code::mismatch,
                   "from all_reduce to all_reduce_elements");
  expect_one_error(is_last() ? by_element() : mpi::try_all_reduce(states, MPI_COMM_WORLD),
                   status_code::mismatch, "from all_reduce of states to all_reduce_elements");
  const auto argmax = [&] { return mpi::try_all_reduce(op::argmax, numbers, MPI_COMM_WORLD); };
  expect_one_error(is_last() ? argmax().why() : status_of(everywhere), status_code::mismatch, "");
}

void elements_that_differ() {
  std::vector<double> few(is_last() ? 2 : 3, 1);
  expect_one_error(mpi::all_reduce_elements(op::sum, std::span(few), MPI_COMM_WORLD),
                   status_code::mismatch, "from 2 to 3");
  std::vector<float> singles(3, 1);
  std::vector<double> doubles(3, 1);
  expect_one_error(is_last()
                       ? mpi::all_reduce_elements(op::sum, std::span(singles), MPI_COMM_WORLD)
                       : mpi::all_reduce_elements(op::sum, std::span(doubles), MPI_COMM_WORLD),
                   status_code::mismatch, "from f32 to f64");
}

void ranks_without_views() {
  for (const op op : {op::sum, op::argmax, op::prod, op::logsumexp}) {
    const auto done =
        is_last() ? mpi::try_all_reduce(op, std::initializer_list<array_view>{}, MPI_COMM_WORLD)
                  : mpi::try_all_reduce(op, numbers, MPI_COMM_WORLD);
    expect_one_error(done.why(), status_code::mismatch,
                     "rank " + std::to_string(ranks - 1) + ": " + std::string(name(op)) +
                         " takes 1 view, not 0");
  }
}

// The positions of ranks that fail after they have counted the elements before theirs.
void parts_that_fail() {
  options named;
  if (is_last()) named.axes = axis(0);
  expect_one_error(mpi::try_all_reduce(op::argmax, numbers, MPI_COMM_WORLD, named).why(),
                   status_code::unsupported, "rank " + std::to_string(ranks - 1) + ": ");
}

void intercommunicators() {
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of_this % 2, rank_of_this, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank_of_this % 2, 7, &inter);
  const std::string part = "is an intercommunicator";
  std::vector<double> elements = numbers;
  std::vector<state> states(1, partial(op::sum, numbers));
  for (const op op : {op::sum, op::max, op::prod}) {
    const auto all = mpi::try_all_reduce(op, numbers, inter);
    expect_one_error(all.why(), status_code::unsupported, part);
    const auto one = mpi::try_reduce(op, numbers, 0, inter);
    expect_one_error(one.why(), status_code::unsupported, part);
  }
  expect_one_error(mpi::try_all_reduce(states, inter), status_code::unsupported, part);
  expect_one_error(mpi::all_reduce_elements(op::sum, std::span(elements), inter),
                   status_code::unsupported, part);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

// Three columns of two rows on each rank, whose sums are 5, 7 and 9 times the number of ranks.
status sum_columns(const output_view& output, op op = op::sum, int kept = 1) {
  static const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const std::int64_t shape[] = {2, 3};
  options down;
  down.axes = axis(1 - kept);
  return mpi::all_reduce(op, array_view(x.data(), dtype::f64, row_major(shape, 8)), output,
                         MPI_COMM_WORLD, down);
}

using number_list = std::vector<double>;

void expect_numbers(const status& done, const number_list& found, const number_list& wanted) {
  expect(done.ok() && found == wanted, [&] {
    std::string text = done.message();
    for (const double x : found) text += " " + std::to_string(x);
    return "the output is" + text;
  });
}

void outputs_with_strides() {
  const double n = ranks;
  number_list found(6, -1);
  expect_numbers(sum_columns({found.data(), dtype::f64, {{3, 16}}}), found,
                 {5 * n, -1, 7 * n, -1, 9 * n, -1});
  found.assign(6, -1);
  expect_numbers(sum_columns({found.data() + 2, dtype::f64, {{3, -8}}}), found,
                 {9 * n, 7 * n, 5 * n, -1, -1, -1});
  // Each rank has a layout of its own.
  found.assign(6, -1);
  const std::int64_t step = is_last() ? 16 : 8;
  const auto own = sum_columns({found.data(), dtype::f64, {{3, step}}});
  expect_numbers(own, found,
                 is_last() ? number_list{5 * n, -1, 7 * n, -1, 9 * n, -1}
                           : number_list{5 * n, 7 * n, 9 * n, -1, -1, -1});
  found.assign(6, -1);
  expect_numbers(sum_columns({found.data(), dtype::f64, {{2, 24}, {2, 8}}}, op::minmax, 0), found,
                 {1, 3, -1, 4, 6, -1});
}

void outputs_that_do_not_fit() {
  const number_list before(6, -1);
  for (const axis_list& axes : {axis_list{{1, 8}}, axis_list{{2, 8}}, axis_list{{3, 0}},
                                axis_list{{3, 8}, {2, 24}}, axis_list{}}) {
    number_list found = before;
    expect_one_error(sum_columns({found.data(), dtype::f64, axes}), status_code::mismatch,
                     "rank 0: ");
    expect_one_error(sum_columns({found.data(), dtype::f64, is_last() ? axes : axis_list{{3, 8}}}),
                     status_code::mismatch, "rank " + std::to_string(ranks - 1) + ": ");
    expect(found == before, [] { return "an output that does not fit was written"; });
  }
  number_list found = before;
  expect_one_error(sum_columns({found.data(), is_last() ? dtype::f32 : dtype::f64, {{3, 8}}}),
                   status_code::mismatch, "types of answers");
  // As many answers in another shape.
  const std::int64_t kept = is_last() ? 2 : 4;
  const std::int64_t shape[] = {1, 8 / kept, kept};
  const number_list x(8, 1);
  number_list eight(8);
  options down;
  down.axes = axis(0);
  expect_one_error(
      mpi::all_reduce(op::sum, array_view(x.data(), dtype::f64, row_major(shape, 8)),
                      {eight.data(), dtype::f64, row_major(std::span(shape).subspan(1), 8)},
                      MPI_COMM_WORLD, down),
      status_code::mismatch, "shapes of answers");
}

int run() {
  options_that_differ();
  types_of_answers_that_differ();
  calls_that_differ();
  elements_that_differ();
  ranks_without_views();
  parts_that_fail();
  intercommunicators();
  outputs_with_strides();
  outputs_that_do_not_fit();
  return report();
}

}  // namespace
}  // namespace onefold::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  onefold::test::know_ranks();
  const int code = onefold::test::run();
  MPI_Finalize();
  return code;
}
