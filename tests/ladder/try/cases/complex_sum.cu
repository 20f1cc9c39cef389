// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right
// says: the sum of all elements, field by field

template <class T>
struct complex_number {
  T re, im;
  __host__ __device__ complex_number() {}
  __host__ __device__ complex_number(T r, T i) : re(r), im(i) {}
  __device__ complex_number operator+(const complex_number& other) const {
    return {re + other.re, im + other.im};
  }
};
using complex = complex_number<float>;

__global__ void sum(const complex* in, complex* out, int n) {
  extern __shared__ complex part[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : complex(0.0f, 0.0f);
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
