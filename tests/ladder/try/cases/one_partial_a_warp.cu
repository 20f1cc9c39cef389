// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right

__global__ void sum(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  value = __reduce_add_sync(0xffffffff, value);
  if (threadIdx.x % 32 == 0) out[i / 32] = value;
}
