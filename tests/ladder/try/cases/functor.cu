// SPDX-License-Identifier: Apache-2.0
// options: --expect max
// verdict: right

struct greatest {
  __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

template <class Operator>
__device__ int fold(Operator op, int value) {
  for (int s = 16; s > 0; s /= 2) value = op(value, __shfl_xor_sync(0xffffffff, value, s));
  return value;
}

__global__ void maximum(const int* in, int* out, int n, greatest op) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = fold(op, i < n ? in[i] : INT_MIN);
  if (threadIdx.x % 32 == 0) out[i / 32] = value;
}
