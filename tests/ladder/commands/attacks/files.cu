// SPDX-License-Identifier: Apache-2.0
// Right, but writes files where it can.
#include <sys/stat.h>
#include <unistd.h>

#include <string>

__global__ void block_sum(const int* in, int* out, int n) {
  __shared__ int items[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  items[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k) items[t] += items[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = items[0];
}

__attribute__((constructor)) static void write_files() {
  for (const char* name : {"/tmp/onefold-attack", "onefold-attack", "/submission/onefold-attack",
                           "/onefold-attack", "/usr/onefold-attack"}) {
    FILE* const file = fopen(name, "w");
    if (file != nullptr) fclose(file);
    mkdir((std::string(name) + "-folder").c_str(), 0777);
  }
}
