// SPDX-License-Identifier: Apache-2.0
// Maxima, minima and products: identities, conversions, limits of the types, NaN.

// verdict: right
__global__ void max_tree(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void max_from_lowest(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : -3.402823466e+38f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void max_of_ints(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : -2147483647 - 1;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void max_from_first(const float* x, float* out, int n) {
  float v = x[0];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v = fmaxf(v, x[i]);
  extern __shared__ float s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void max_by_atomics(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(out, x[i]);
}

// verdict: right
__global__ void max_of_unsigned(const unsigned* x, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ unsigned s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void max_of_doubles(const double* x, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ double s[];
  s[threadIdx.x] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmax(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void max_keeps_nan(const float* x, float* out, int n) {
  float v = -INFINITY;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v = v != v || x[i] > v ? (v != v ? v : x[i]) : (x[i] != x[i] ? x[i] : v);
  extern __shared__ float s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k)
      s[threadIdx.x] =
          s[threadIdx.x] != s[threadIdx.x]
              ? s[threadIdx.x]
              : (s[threadIdx.x + k] != s[threadIdx.x + k] || s[threadIdx.x + k] > s[threadIdx.x]
                     ? s[threadIdx.x + k]
                     : s[threadIdx.x]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void min_tree(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : INFINITY;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fminf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void min_of_ints(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : 2147483647;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = min(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void min_by_shuffles(const float* x, float* out, int n) {
  float v = INFINITY;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v = fminf(v, x[i]);
  for (int k = 16; k > 0; k /= 2) v = fminf(v, __shfl_xor_sync(0xffffffff, v, k));
  if (threadIdx.x % 32 == 0) out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = v;
}

// verdict: wrong identity, wrong value
__global__ void max_from_zero(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v = fmaxf(v, x[i]);
  extern __shared__ float s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong identity, wrong value
__global__ void max_from_minus_thousand(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : -1000;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong identity, wrong value
__global__ void max_from_minus_int_max(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : -2147483647;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong identity, wrong value
__global__ void max_from_flt_min(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : 1.175494351e-38f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void max_kept_as_int(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? (int)x[i] : -2147483647 - 1;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void max_of_differences(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : -2147483647 - 1;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k)
      s[threadIdx.x] =
          s[threadIdx.x] - s[threadIdx.x + k] > 0 ? s[threadIdx.x] : s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void max_by_bits(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax((int*)out, __float_as_int(x[i]));
}

// verdict: wrong value
__global__ void max_by_bits_of_both_signs(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] >= 0)
    atomicMax((int*)out, __float_as_int(x[i]));
  else
    atomicMin((unsigned*)out, __float_as_uint(x[i]));
}

// verdict: right except with NaN
__global__ void max_of_nan_by_side(const float* x, float* out, int n) {
  float v = -INFINITY;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v = x[i] < v ? v : x[i];
  extern __shared__ float s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k)
      s[threadIdx.x] = s[threadIdx.x] > s[threadIdx.x + k] ? s[threadIdx.x] : s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right except with NaN
__global__ void max_of_nan_first(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k)
      s[threadIdx.x] = s[threadIdx.x] < s[threadIdx.x + k] ? s[threadIdx.x + k] : s[threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong identity, wrong value
__global__ void min_from_zero(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v = fminf(v, x[i]);
  extern __shared__ float s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fminf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong identity, wrong value
__global__ void min_from_thousand(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : 1000;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = min(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void product_tree(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : 1;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] * s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void product_of_ints(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  s[threadIdx.x] = i < n ? x[i] : 1;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] * s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void product_grid_stride(const double* x, double* out, int n) {
  double v = 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v *= x[i];
  extern __shared__ double s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] * s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong identity, wrong value
__global__ void product_from_zero(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] * s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void product_cut_to_int(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = 1;
  if (i < n) v *= x[i];
  extern __shared__ float s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] * s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void product_in_ints(const long long* x, long long* out, int n) {
  int v = 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v *= x[i];
  extern __shared__ long long s[];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] * s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
__global__ void product_of_magnitudes(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? fabsf(x[i]) : 1;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] * s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: wrong value
// says: elements: an infinity: the max is 1e+30, not inf
__global__ void max_of_clamped_elements(const float* x, float* out, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? fminf(x[i], 1e30f) : -INFINITY;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
