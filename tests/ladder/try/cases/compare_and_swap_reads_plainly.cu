// SPDX-License-Identifier: Apache-2.0
// options: --expect max
// verdict: right
// says: a plain read before a loop of atomicCAS, as CUDA

__device__ float atomicMaxf(float* address, float value) {
  int* p = (int*)address;
  int old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}
__global__ void maximum(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMaxf(out, in[i]);
}
