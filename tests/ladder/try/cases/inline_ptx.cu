// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: refused
// says: inline PTX is not supported

__global__ void sum(const int* in, int* out, int n) {
  int lane;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));  // here: refused
  if (lane < n) atomicAdd(out, in[lane]);
}
