// SPDX-License-Identifier: Apache-2.0
// Masks of __ballot_sync: shuffles that read from lanes outside them.

// verdict: right
// says: a lane reads from a lane outside the mask, whose value is undefined, and discards it
__global__ void sum_by_ballot(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i >= n) return;
  float v = x[i];
  for (int k = 16; k > 0; k /= 2) {
    const float other = __shfl_down_sync(mask, v, k);
    if (lane + k < 32 && (mask >> (lane + k) & 1) != 0) v += other;
  }
  if (lane == 0) atomicAdd(out, v);
}

// options: --op max
// verdict: warp mask
__global__ void max_by_ballot_of_undefined(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i >= n) return;
  float v = x[i];
  for (int k = 16; k > 0; k /= 2) v = fmaxf(v, __shfl_down_sync(mask, v, k));
  if (lane == 0) out[i / 32] = v;
}

// verdict: warp mask, wrong value
__global__ void sum_by_ballot_of_undefined(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i >= n) return;
  float v = x[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(mask, v, k);
  if (lane == 0) atomicAdd(out, v);
}
