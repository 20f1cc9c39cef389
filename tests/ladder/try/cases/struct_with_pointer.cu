// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: refused
// says: structs whose field 'next' is no number

struct node {
  float value;
  node* next;
};

__global__ void sum(const node* in, float* out, int n) {  // here: refused
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < n; ++i) total += in[i].value;
    out[0] = total;
  }
}
