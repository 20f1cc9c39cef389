// SPDX-License-Identifier: Apache-2.0
// Indices of extrema: sentinels that an element can pass, limits of the types, NaN.

struct best {
  float value;
  int index;
};

__device__ void keep_greater(best* s, int width) {
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k && s[threadIdx.x + k].value > s[threadIdx.x].value)
      s[threadIdx.x] = s[threadIdx.x + k];
  }
}

// options: --expect argmax
// verdict: wrong value
// says: elements: at the limits of the type
__global__ void argmax_from_minus_10000(const float* x, best* out, int n) {
  best b = {-1e4f, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (x[i] > b.value) b = {x[i], i};
  __shared__ best s[1024];
  s[threadIdx.x] = b;
  keep_greater(s, blockDim.x);
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// options: --expect argmax
// verdict: right
__global__ void argmax_from_infinity(const float* x, best* out, int n) {
  best b = {-INFINITY, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (x[i] > b.value) b = {x[i], i};
  __shared__ best s[1024];
  s[threadIdx.x] = b;
  keep_greater(s, blockDim.x);
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// options: --expect argmax
// verdict: right
// says: which index is kept of equal elements
__global__ void argmax_of_ints(const int* x, int* out, int n) {
  __shared__ int value[1024], index[1024];
  int best = -2147483647 - 1, at = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (x[i] > best) best = x[i], at = i;
  value[threadIdx.x] = best;
  index[threadIdx.x] = at;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k && value[threadIdx.x + k] > value[threadIdx.x]) {
      value[threadIdx.x] = value[threadIdx.x + k];
      index[threadIdx.x] = index[threadIdx.x + k];
    }
  }
  if (threadIdx.x == 0) out[0] = index[0];
}

// options: --expect argmax
// verdict: wrong value
// says: elements: at the limits of the type: the argmax is -1
__global__ void argmax_without_index(const int* x, int* out, int n) {
  __shared__ int value[1024], index[1024];
  int best = -2147483647 - 1, at = -1;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (x[i] > best) best = x[i], at = i;
  value[threadIdx.x] = best;
  index[threadIdx.x] = at;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k && value[threadIdx.x + k] > value[threadIdx.x]) {
      value[threadIdx.x] = value[threadIdx.x + k];
      index[threadIdx.x] = index[threadIdx.x + k];
    }
  }
  if (threadIdx.x == 0) out[0] = index[0];
}

// options: --expect argmin
// verdict: wrong value
// says: elements: at the limits of the type
__global__ void argmin_from_a_million(const float* x, int* out, int n) {
  float least = 1e6f;
  int at = 0;
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  for (int i = 0; i < n; ++i)
    if (x[i] < least) least = x[i], at = i;
  *out = at;
}

// options: --expect argmax
// verdict: wrong value
// says: elements: of both signs
__global__ void argmax_of_magnitudes(const float* x, int* out, int n) {
  float most = INFINITY;
  int at = 0;
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  for (int i = 0; i < n; ++i)
    if (fabsf(x[i]) < most) most = fabsf(x[i]), at = i;
  *out = at;
}

// options: --expect argmax
// verdict: right except with NaN
__global__ void argmax_tree(const float* x, best* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ best s[1024];
  s[threadIdx.x] = i < n ? best{x[i], i} : best{-INFINITY, 0};
  keep_greater(s, blockDim.x);
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// options: --expect argmax
// verdict: right
__global__ void argmax_keeps_nan(const float* x, best* out, int n) {
  best b = {-INFINITY, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (b.value == b.value && !(x[i] <= b.value)) b = {x[i], i};
  __shared__ best s[1024];
  s[threadIdx.x] = b;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x >= k) continue;
    const best a = s[threadIdx.x], c = s[threadIdx.x + k];
    if (a.value == a.value && !(c.value <= a.value)) s[threadIdx.x] = c;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
