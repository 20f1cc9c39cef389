// SPDX-License-Identifier: Apache-2.0
// options: --expect add
// verdict: wrong value
// says: field position[2]

struct __align__(16) particle {
  float position[3];
  unsigned short charge;
};

__global__ void add(const particle* a, const particle* b, particle* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  particle p;
  for (int k = 0; k < 2; ++k) p.position[k] = a[i].position[k] + b[i].position[k];
  p.charge = a[i].charge + b[i].charge;
  c[i] = p;
}
