// SPDX-License-Identifier: Apache-2.0
// What CUDA's guides print, blocks that meet in one word, and what a guess cannot judge.

__device__ double add_by_cas(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__device__ unsigned ended;
struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

// verdict: right
// says: a plain read before a loop of atomicCAS, as CUDA's guide prints it
__global__ void cas_double_add(const double* x, double* out, int n) {
  double v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  if (threadIdx.x % 32 == 0) add_by_cas(out, v);
}

// verdict: right
// says: note:
__global__ void cas_add_in_shared_memory(const double* x, double* out, int n) {
  __shared__ double total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && threadIdx.x % 2 == 0) add_by_cas(&total, i + 1 < n ? x[i] + x[i + 1] : x[i]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

// verdict: right
// says: as CUDA's guide prints it; strict memory order asks for a
__global__ void threadfence_sum(const float* x, volatile float* out, int n) {
  __shared__ float s[256];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  float total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += out[b];
  out[0] = total;
}

// verdict: right
__global__ void threadfence_sum_with_both(const float* x, volatile float* out, int n) {
  __shared__ float s[256];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  float total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += out[b];
  out[0] = total;
}

// verdict: race
__global__ void threadfence_sum_without(const float* x, volatile float* out, int n) {
  __shared__ float s[256];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = s[0];
    last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  float total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += out[b];
  out[0] = total;
}

// verdict: race
// says: __threadfence() between its atomic and its reads
__global__ void threadfence_sum_not_volatile(const float* x, float* out, int n) {
  __shared__ float s[256];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  float total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += out[b];
  out[0] = total;
}

// verdict: right
// says: several lanes store the same value
__global__ void equal_stores(const float* x, float* out, int n) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) any = 1;
  __syncthreads();
  extern __shared__ float s[];
  s[threadIdx.x] = any ? (i < n ? x[i] : 0) : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: race
__global__ void unequal_stores(const float* x, float* out, int n) {
  __shared__ int which;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  which = threadIdx.x;
  __syncthreads();
  extern __shared__ float s[];
  s[threadIdx.x] = which >= 0 ? (i < n ? x[i] : 0) : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void max_by_cas(const float* x, float* out, int n) {
  int* bits = (int*)out;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int old = atomicAdd(bits, 0);
  while (__int_as_float(old) < x[i]) {
    const int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(x[i]));
    if (old == assumed) break;
  }
}

// verdict: wrong value
// says: blocks at a time
__global__ void max_by_read_and_exchange(const int* x, int* out, int n) {
  extern __shared__ int s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : -2147483647 - 1;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0 && atomicOr(out, 0) < s[0]) atomicExch(out, s[0]);
}

// verdict: wrong value
// says: blocks at a time
__global__ void sum_by_two_atomics(const int* x, int* out, int n) {
  extern __shared__ int s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const int before = atomicAdd(out, 0);
    atomicExch(out, before + s[0]);
  }
}

// verdict: right
template <class T, class Op>
__global__ void fold(const T* x, T* out, int n, T init, Op op) {
  extern __shared__ T s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : init;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// options: --op max
// verdict: right
template <class T, class Op>
__global__ void fold_max(const T* x, T* out, int n, T init, Op op) {
  extern __shared__ T s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : init;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
// says: expected, a guess: the maximum of all elements
__global__ void reduce_by_max(const float* x, float* out, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
// says: expected, a guess: the minimum of all elements
__global__ void reduce(const float* x, float* out, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : INFINITY;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fminf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: refused
// says: I cannot judge this: 'mean' in its name
__global__ void mean(const float* x, float* out, int n) {
  extern __shared__ float s[];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0] / n;
}

// verdict: refused
// says: I cannot judge this: the answer looks like the norm
__global__ void length_of(const float* x, float* out, int n) {
  extern __shared__ float s[];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i] * x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = sqrtf(s[0]);
}

// verdict: refused
// says: I cannot judge this: the answer looks like the mean
__global__ void divided_by_n(const float* x, float* out, int n) {
  extern __shared__ float s[];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0] / n;
}

// options: --expect sum
// verdict: wrong value
__global__ void divided_by_n_is_no_sum(const float* x, float* out, int n) {
  extern __shared__ float s[];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0] / n;
}

// options: --expect sum
// verdict: too slow
// says: it has an end
__global__ void of_the_square(const float* x, float* out, int n) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  float v = 0;
  for (int i = 0; i < n; ++i) {
    float last = 0;
    for (int j = 0; j <= i; ++j) last = x[j];
    v += last;
  }
  out[0] = v;
}

// verdict: no progress, wrong value
__global__ void never_ends(const float* x, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockIdx.x) v += x[i];
  out[blockIdx.x] = v;
}

// verdict: no progress, elements never read, wrong value
__global__ void ends_for_short_ones(const float* x, float* out, int n) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  float v = 0;
  for (signed char i = 0; i < n; ++i) v += x[i < 0 ? 0 : i];
  out[0] = v;
}

// verdict: refused
// says: I cannot judge this: 'argmax' in its name
__global__ void argmax_to_int(const float* x, int* where, int n) {
  int first = 0;
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  for (int i = 1; i < n; ++i)
    if (x[i] > x[first]) first = i;
  *where = first;
}
