// SPDX-License-Identifier: Apache-2.0
// Solves Poisson's equation on a grid by conjugate gradients, the rows of the grid split over the
// ranks. The two dot products of a step are exact, so the residuals have the same bits on any
// number of ranks:
//
//   mpirun -n 1 example_mpi_conjugate_gradient     the same lines as with -n 8
#include <cstdio>
#include <vector>

#include <onefold/mpi.hpp>

namespace {

constexpr int width = 64, height = 48, steps = 60;

int rank = 0, ranks = 1;

// The rows of this rank, with a row of a neighbour's, or of zeros, before and after.
struct rows {
  int count;
  std::vector<double> values = std::vector<double>(std::size_t((count + 2) * width));

  double* row(int i) { return values.data() + (i + 1) * width; }
  onefold::array_view view() { return {row(0), std::size_t(count * width)}; }
};

double dot(rows& x, rows& y) {
  return onefold::mpi::all_reduce<double>(onefold::op::dot, {x.view(), y.view()}, MPI_COMM_WORLD);
}

void exchange_borders(rows& x) {
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(x.row(0), width, MPI_DOUBLE, before, 0, x.row(x.count), width, MPI_DOUBLE, after, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(x.row(x.count - 1), width, MPI_DOUBLE, after, 1, x.row(-1), width, MPI_DOUBLE,
               before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// y = A x, with the five-point stencil.
void apply(rows& x, rows& y) {
  exchange_borders(x);
  for (int i = 0; i < x.count; ++i)
    for (int j = 0; j < width; ++j) {
      const double left = j > 0 ? x.row(i)[j - 1] : 0;
      const double right = j + 1 < width ? x.row(i)[j + 1] : 0;
      y.row(i)[j] = 4 * x.row(i)[j] - (left + right) - (x.row(i - 1)[j] + x.row(i + 1)[j]);
    }
}

// x += a y
void add(rows& x, double a, rows& y) {
  for (int k = 0; k < x.count * width; ++k) x.row(0)[k] += a * y.row(0)[k];
}

void solve() {
  const int first = height * rank / ranks, last = height * (rank + 1) / ranks;
  rows x{last - first}, r{last - first}, p{last - first}, ap{last - first};
  for (int i = 0; i < r.count; ++i)
    for (int j = 0; j < width; ++j) r.row(i)[j] = 1.0 / (1 + (first + i) * 7 + j * 3);
  p = r;
  double rr = dot(r, r);
  for (int step = 1; step <= steps; ++step) {
    apply(p, ap);
    const double a = rr / dot(p, ap);
    add(x, a, p);
    add(r, -a, ap);
    const double next = dot(r, r), b = next / rr;
    for (int k = 0; k < p.count * width; ++k) p.row(0)[k] = r.row(0)[k] + b * p.row(0)[k];
    rr = next;
    if (rank == 0 && step % 10 == 0) std::printf("step %d: r.r = %a\n", step, rr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  solve();
  MPI_Finalize();
}
