// SPDX-License-Identifier: Apache-2.0
// Sums: what cuts, skips or repeats elements is wrong; every way to add them is right.

// verdict: right
__global__ void tree(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void grid_stride(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  extern __shared__ float s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void of_doubles(const double* x, double* out, int n) {
  double v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  extern __shared__ double s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void of_ints(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void of_long_longs(const long long* x, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ long long s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void atomic_each(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, x[i]);
}

// verdict: right
__global__ void atomic_each_block(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

// verdict: right
__global__ void by_shuffles(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

// verdict: right
__global__ void by_two_shuffles(const float* x, float* out, int n) {
  __shared__ float warps[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

// options: --n 1000
// verdict: right
// says: as a compensated sum gives it
__global__ void neumaier(const float* x, float* out, int n) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  float s = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    const float t = s + x[i];
    c += fabsf(s) >= fabsf(x[i]) ? (s - t) + x[i] : (x[i] - t) + s;
    s = t;
  }
  out[0] = s + c;
}

// verdict: wrong value
__global__ void int_total(const float* x, float* out, int n) {
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  atomicAdd(out, (float)v);
}

// verdict: wrong value
__global__ void rounds_each(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += rintf(x[i]);
  atomicAdd(out, v);
}

// verdict: wrong value
__global__ void int_in_shared_memory(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void short_shared(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ short s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void float_total_of_ints(const int* x, int* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  atomicAdd(out, (int)v);
}

// options: --expect sum
// verdict: wrong value
__global__ void of_magnitudes_by_mistake(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] * (x[i] > 0 ? 1 : -1) : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: elements never read, wrong value
__global__ void wrong_from_2_to_31(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n && !(i == 1 && n < 32) ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: elements never read, wrong value
__global__ void wrong_at_33(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n && !(n == 33 && i == 32) ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: elements never read, wrong value
// says: n 1: element 0 never reaches the answer: 0 is read by no lane
__global__ void forgets_the_last(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n - 1 ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: elements never read, wrong value
__global__ void forgets_the_tail(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int whole = n / blockDim.x * blockDim.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < whole ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: bounds, wrong value
__global__ void reads_one_too_far(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i <= n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
// says: n 1: element 0 counts 256 times
__global__ void counts_twice_at_the_end(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : x[n - 1];
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void starts_at_one(const float* x, float* out, int n) {
  float v = 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  extern __shared__ float s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
// says: and 121 others never reach the answer: 128 is left where it is stored
__global__ void odd_lanes_lost(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 4; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: uninitialised, race, wrong value
__global__ void no_barrier(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: race, wrong value
__global__ void plain_add_to_one_word(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *out += x[i];
}

// verdict: wrong value
// says: n 31: elements 16, 17, 18, 19, 20, 21 and 9 others never reach the answer: 16 is lost
__global__ void shuffle_of_half(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int k = 8; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
