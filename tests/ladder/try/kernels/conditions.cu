// SPDX-License-Identifier: Apache-2.0
// Outputs that are written only where an element is greater, or less, than what is there.

// options: --expect max
// verdict: right except with NaN
// says: a plain read before a loop of atomicCAS
__global__ void max_by_cas_with_break(const float* __restrict__ x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* const at = (int*)out;
  int seen = *at;
  while (true) {
    if (__int_as_float(seen) >= x[i]) break;
    const int before = atomicCAS(at, seen, __float_as_int(x[i]));
    if (before == seen) break;
    seen = before;
  }
}

// options: --op min
// verdict: right
__global__ void min_where_less(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < atomicAdd(out, 0)) atomicMin(out, x[i]);
}
