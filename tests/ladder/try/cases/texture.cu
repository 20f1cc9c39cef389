// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: refused
// says: textures and surfaces are not supported

__global__ void sum(cudaTextureObject_t in, int* out, int n) {  // here: refused
  if (threadIdx.x < n) atomicAdd(out, tex1Dfetch<int>(in, threadIdx.x));
}
