// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

__global__ void divides_by_zero(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int zero = n - n;
    asm volatile("" : "+r"(zero));   // hides the zero from the optimiser
    out[blockIdx.x] = in[i] / zero;  // here: division
  }
}

__global__ void asserts(const int* in, int* out, int n) {
  int value = in[0];
  assert(n < 0);
  out[blockIdx.x] = value;
}

__device__ int endless(const int* in, int depth) {
  volatile int room[64] = {};
  room[depth % 64] = in[0];  // here: recursion
  return room[depth % 64] + endless(in, depth + 1);
}

__global__ void recurses(const int* in, int* out, int n) {
  out[blockIdx.x] = endless(in, n);
}

__global__ void loops(const int* in, int* out, int n) {
  int i = 0;
  while (i < n) {
    out[blockIdx.x] = in[0];  // here: loop
  }
}

// pause() is no code of the file: no callback tells that it does not come back.
__global__ void sleeps(const int* in, int* out, int n) {
  if (n > 0) pause();
  out[blockIdx.x] = in[0];
}

__global__ void exits(const int* in, int* out, int n) {
  if (n > 0) _exit(3);
  out[blockIdx.x] = in[0];
}

// memset is no code of the file, either; clang would drop a block that nothing uses.
__global__ void eats(const int* in, int* out, int n) {
  for (int i = 0; i < 1 << 20; ++i) {
    void* room = malloc(1 << 20);
    memset(room, 1, 1 << 20);
    asm volatile("" : : "r"(room) : "memory");
  }
  out[blockIdx.x] = in[0];
}
