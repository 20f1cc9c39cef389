// SPDX-License-Identifier: Apache-2.0
// The sum of numbers that are spread over the ranks: mpirun -n 4 example_mpi_sum
#include <cstdio>
#include <vector>

#include <onefold/mpi.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  // Of the numbers 1e16, 1, -1e16, 1, 1e16, … this rank has every so many-th.
  std::vector<double> numbers;
  for (int i = rank; i < 1000; i += ranks) numbers.push_back(i % 2 ? 1 : i % 4 ? -1e16 : 1e16);

  const double sum = onefold::mpi::all_reduce<double>(onefold::op::sum, numbers, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.17g\n", sum);  // 500
  MPI_Finalize();
  return sum == 500 ? 0 : 1;
}
