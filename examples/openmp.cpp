// SPDX-License-Identifier: Apache-2.0
// An exact sum by OpenMP: the same bits for every number of threads and every schedule.
#include <onefold/exact.hpp>

#include <omp.h>

#include <cmath>
#include <cstdio>

// [openmp]
using exact = onefold::exact_sum<double>;
#pragma omp declare reduction(exact_sum:exact : omp_out.merge(omp_in))

double sum_of(const double* x, int n, int threads) {
  exact sum;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 100) reduction(exact_sum : sum)
  for (int i = 0; i < n; ++i) sum.add(x[i]);
  return sum.value();
}
// [openmp]

int main() {
  // Terms of both signs over 200 powers of two: a plain sum depends on the threads.
  constexpr int n = 100001;
  static double x[n];
  exact in_order;
  for (int i = 0; i < n; ++i) {
    x[i] = std::ldexp(std::sin(double(i)), i % 200 - 100);
    in_order.add(x[i]);
  }
  bool same = true;
  omp_set_dynamic(0);
  for (const int threads : {1, 2, 3, 8}) {
    const double sum = sum_of(x, n, threads);
    std::printf("%d threads: %a\n", threads, sum);
    same = same && sum == in_order.value();
  }
  return same ? 0 : 1;
}
