// SPDX-License-Identifier: Apache-2.0
// Times exact all-reduces of one number, and MPI's own of it: run by bench/clusters.py with mpirun.
// Prints a line of JSON: the least time of a call in microseconds, of the slowest rank.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <span>

#include <onefold/mpi.hpp>

namespace {

constexpr int rounds = 40, calls = 50;

double time_us(const std::function<void()>& call) {
  double least = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    least = std::min(least, seconds);
  }
  return least / calls * 1e6;
}

template <class T>
double exact_us(onefold::op op) {
  const onefold::state own = onefold::partial(op, std::span<const T>());
  return time_us([&] {
    onefold::state all = own;
    if (!onefold::mpi::try_all_reduce({&all, 1}, MPI_COMM_WORLD)) MPI_Abort(MPI_COMM_WORLD, 1);
  });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double number = 1, sum = 0;
  const double plain =
      time_us([&] { MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
  const double f32 = exact_us<float>(onefold::op::sum);
  const double f64 = exact_us<double>(onefold::op::sum);
  const double var = exact_us<double>(onefold::op::var);
  if (rank == 0)
    std::printf("{\"ranks\": %d, \"us\": {\"MPI_SUM of a double\": %.3f, \"sum of f32\": %.3f, "
                "\"sum of f64\": %.3f, \"var of f64\": %.3f}}\n",
                ranks, plain, f32, f64, var);
  MPI_Finalize();
}
