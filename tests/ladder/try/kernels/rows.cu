// SPDX-License-Identifier: Apache-2.0
// Rows and columns: which lanes share a row is read from arrays and indices.

// verdict: right
// says: block 64, grid 1,64
__global__ void row_by_64_lanes(const float* m, float* out, int width, int height) {
  __shared__ float s[64];
  float v = 0;
  for (int c = threadIdx.x; c < width; c += 64) v += m[blockIdx.y * width + c];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.y] = s[0];
}

// verdict: right
// says: block 512, grid 1,64
__global__ void row_by_512_lanes(const float* m, float* out, int width, int height) {
  __shared__ float s[512];
  float v = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) v += m[blockIdx.y * width + c];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.y] = s[0];
}

// verdict: right
// says: block 64,4, grid
__global__ void four_rows_by_64_lanes(const float* m, float* out, int width, int height) {
  __shared__ float s[4][64];
  const int row = blockIdx.x * 4 + threadIdx.y;
  float v = 0;
  for (int c = threadIdx.x; row < height && c < width; c += 64) v += m[row * width + c];
  s[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.y][threadIdx.x] += s[threadIdx.y][threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0 && row < height) out[row] = s[threadIdx.y][0];
}

// verdict: right
// says: block 32,8
__global__ void rows_by_warps(const float* m, float* out, int width, int height) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float v = 0;
  for (int c = threadIdx.x; row < height && c < width; c += 32) v += m[row * width + c];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  if (threadIdx.x == 0 && row < height) out[row] = v;
}

// verdict: right
__global__ void row_by_a_lane(const float* m, float* out, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= height) return;
  float v = 0;
  for (int c = 0; c < width; ++c) v += m[i * width + c];
  out[i] = v;
}

// verdict: right
__global__ void max_of_rows(const float* m, float* out, int width, int height) {
  extern __shared__ float s[];
  float v = -INFINITY;
  for (int c = threadIdx.x; c < width; c += blockDim.x) v = fmaxf(v, m[blockIdx.x * width + c]);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// verdict: right
__global__ void column_by_a_lane(const float* m, float* out, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width) return;
  float v = 0;
  for (int r = 0; r < height; ++r) v += m[r * width + i];
  out[i] = v;
}

// verdict: right
__global__ void column_min(const float* m, float* out, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width) return;
  float v = m[i];
  for (int r = 1; r < height; ++r) v = fminf(v, m[r * width + i]);
  out[i] = v;
}

// verdict: right
// says: block 32,
__global__ void transpose_tiles(const float* m, float* out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = m[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// verdict: wrong value
__global__ void row_skips_first(const float* m, float* out, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= height) return;
  float v = 0;
  for (int c = 1; c < width; ++c) v += m[i * width + c];
  out[i] = v;
}

// verdict: wrong value
__global__ void row_in_ints(const float* m, float* out, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= height) return;
  int v = 0;
  for (int c = 0; c < width; ++c) v += m[i * width + c];
  out[i] = v;
}

// verdict: wrong value
__global__ void max_of_rows_from_zero(const float* m, float* out, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= height) return;
  float v = 0;
  for (int c = 0; c < width; ++c) v = fmaxf(v, m[i * width + c]);
  out[i] = v;
}

// verdict: bounds, wrong value
__global__ void row_by_64_of_width(const float* m, float* out, int width, int height) {
  __shared__ float s[64];
  s[threadIdx.x] = m[blockIdx.x * width + threadIdx.x];
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
