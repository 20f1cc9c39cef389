// SPDX-License-Identifier: Apache-2.0
struct point {
  float x, y;
  __host__ __device__ point(float x0, float y0) : x(x0), y(y0) {}
};

__global__ void takes_a_struct(const float* in, point origin, float* out, int n) {
  if (threadIdx.x == 0) out[0] = in[0] + origin.x;
}

__global__ void two_types(const float* a, const int* b, float* out, int n) {
  if (threadIdx.x == 0) out[0] = a[0] * b[0];
}

__global__ void no_output(const float* in, int n) {}

__global__ void no_input(float* out, int n) {}

__global__ void calls_what_is_not_there(const float* in, float* out, int n);
