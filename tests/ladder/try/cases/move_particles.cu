// SPDX-License-Identifier: Apache-2.0
// options: --n 8 --block 4 --expect tests/ladder/try/cases/moved.npy
// verdict: right
// says: assumed: of element i 'place' is i mod 7, 'speed' is i + 1 mod 7; 'id' of element i is i

struct particle {
  float place;
  float speed;
  int id;
};

__global__ void step(particle* particles, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) particles[i].place += 0.5f * particles[i].speed;
}
