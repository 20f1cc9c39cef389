// SPDX-License-Identifier: Apache-2.0
// Kernels that no launch of one row of blocks and one length can test.

__global__ void transpose(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;  // here: two dimensions
  int pitch = width;                              // of out it is height
  if (x < width && y < height) out[y + x * pitch] = in[x + y * width];
}

__global__ void first_row(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x == 0) {
    float sum = 0;
    for (int i = 0; i < width; ++i) sum += in[i];
    out[blockIdx.x] = sum;
  }
}

__global__ void bytes(const unsigned char* in, float* out, int n) {
  if (threadIdx.x == 0) out[blockIdx.x] = in[0];
}

__global__ void one_row(const float* in, float* out, int n) {
  extern __shared__ float items[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  items[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) items[threadIdx.x] += items[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = items[0];
}
