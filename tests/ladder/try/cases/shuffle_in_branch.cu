// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: warp mask

__global__ void sum(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.0f;
  int lane = threadIdx.x & 31;
  if (lane < 16) v += __shfl_down_sync(0xffffffff, v, 16);
  for (int s = 8; s > 0; s >>= 1) v += __shfl_down_sync(0xffffffffu, v, s);
  if (lane == 0) atomicAdd(out, v);
}
