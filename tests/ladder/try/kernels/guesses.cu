// SPDX-License-Identifier: Apache-2.0
// What try finds out without --expect, and what it does not take for a sum.

// verdict: refused
// says: I cannot judge this: 'count' in its name
__global__ void count_positive(const float* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) atomicAdd(out, 1);
}

// verdict: refused
// says: I cannot judge this: 'any' in its name
__global__ void any_nan(const float* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] != x[i]) atomicExch(out, 1);
}

// verdict: refused
// says: I cannot judge this: 'all' in its name
__global__ void allPositive(const float* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] <= 0) atomicAnd(out, 0);
}

// verdict: right
__global__ void sum_of_all(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, x[i]);
}

// verdict: refused
// says: the answer looks like the number of positive ones of the elements
__global__ void above_zero(const float* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) atomicAdd(out, 1);
}

// verdict: refused
// says: the answer looks like the range of the elements
__global__ void extent(const float* x, float* out, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  float least = INFINITY, most = -INFINITY;
  for (int i = 0; i < n; ++i) least = fminf(least, x[i]), most = fmaxf(most, x[i]);
  *out = most - least;
}

// verdict: refused
// says: I cannot judge this: the answer is the sum of the elements at no length
__global__ void above_half(const float* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.5f) atomicAdd(out, 3);
}

// options: --expect sum
// verdict: wrong value
__global__ void count_for_a_sum(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) atomicAdd(out, 1.0f);
}

// verdict: wrong value
__global__ void block_reduce(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, 2 * x[i] + 1);
}
