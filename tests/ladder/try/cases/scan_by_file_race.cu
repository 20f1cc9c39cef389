// SPDX-License-Identifier: Apache-2.0
// options: --expect tests/ladder/try/cases/scan.npy --n 256
// verdict: race, wrong value

__global__ void scan(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    if (t >= d) s[t] += s[t - d];  // here: race
    __syncthreads();
  }
  if (t < n) out[t] = s[t];
}
