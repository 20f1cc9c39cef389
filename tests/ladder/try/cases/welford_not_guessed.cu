// SPDX-License-Identifier: Apache-2.0
// options: --n 1000
// verdict: refused
// says: what 'Welford* w' gets cannot be guessed

struct Welford {
  double mean;
  double m2;
  int n;
};
__global__ void var(const double* x, Welford* w, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    Welford r{0, 0, 0};
    for (int i = 0; i < n; i++) {
      r.n++;
      double d = x[i] - r.mean;
      r.mean += d / r.n;
      r.m2 += d * (x[i] - r.mean);
    }
    w[0] = r;
  }
}
