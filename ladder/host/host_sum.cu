// SPDX-License-Identifier: Apache-2.0
// The host adds up what the blocks have left: in float, in double, and without any rounding.
//
// A dot product of floats. The kernel is the same each time, and so are its partial sums; only the
// last few additions differ, which are the host's. One of float loses the small terms next to a
// large one; one of double loses nothing here that a float can show; the exact one keeps in a
// second number what each addition rounds away (D. Knuth's two-sum, once for every term). What no
// host can repair is what the blocks themselves have rounded.
//
// The question: what does it change that main adds in double instead of float?
// "CUDA 数组点乘", http://www.yandong.org/archives/755, Dot1 and Dot2.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status));                 \
      std::exit(EXIT_FAILURE);                                                                     \
    }                                                                                              \
  } while (false)

// One sum of products a block.
__global__ void dot_blocks(const float* a, const float* b, size_t n, float* sums) {
  extern __shared__ float items[];
  const size_t threads = size_t(gridDim.x) * blockDim.x;
  float value = 0;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
    value += a[i] * b[i];
  }
  items[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) items[threadIdx.x] += items[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = items[0];
}

float sum_in_float(const std::vector<float>& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

double sum_in_double(const std::vector<float>& terms) {
  double sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

// The parts are numbers whose exact sum is that of all terms so far. Each new term is added to
// every part in turn; what the addition rounds away stays behind as a part of its own.
double sum_exactly(const std::vector<float>& terms) {
  std::vector<double> parts;
  for (const float term : terms) {
    double carried = term;
    std::vector<double> left;
    for (const double part : parts) {
      const double rounded = carried + part;
      const double part_in_it = rounded - carried;
      const double lost = (carried - (rounded - part_in_it)) + (part - part_in_it);
      if (lost != 0) left.push_back(lost);
      carried = rounded;
    }
    left.push_back(carried);
    parts = left;
  }
  double sum = 0;  // from the smallest part to the largest, which do not overlap
  for (const double part : parts) sum += part;
  return sum;
}

int main() {
  const size_t n = 40000;
  const unsigned grid = 100, block = 128;
  std::vector<float> a(n), b(n);
  for (size_t i = 0; i < n; ++i) {
    a[i] = 1.0f + float(i % 17);
    b[i] = i < 4 ? 4194304.0f : 0.125f;  // 2^22 beside 1/8
  }

  float *device_a, *device_b, *sums;
  CHECK(cudaMalloc(&device_a, n * sizeof(float)));
  CHECK(cudaMalloc(&device_b, n * sizeof(float)));
  CHECK(cudaMalloc(&sums, grid * sizeof(float)));
  CHECK(cudaMemcpy(device_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  dot_blocks<<<grid, block, block * sizeof(float)>>>(device_a, device_b, n, sums);
  CHECK(cudaGetLastError());
  std::vector<float> parts(grid);
  CHECK(cudaMemcpy(parts.data(), sums, grid * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device_a));
  CHECK(cudaFree(device_b));
  CHECK(cudaFree(sums));

  double products = 0;  // every product and every sum of these values is a double
  for (size_t i = 0; i < n; ++i) products += double(a[i]) * b[i];
  const double exact = sum_exactly(parts);
  std::printf("all products          %.3f\n", products);
  std::printf("partials, exactly     %.3f\n", exact);
  std::printf("partials, in double   %.3f, off by %g\n", sum_in_double(parts),
              std::fabs(sum_in_double(parts) - exact));
  std::printf("partials, in float    %.3f, off by %g\n", sum_in_float(parts),
              std::fabs(sum_in_float(parts) - exact));
  return EXIT_SUCCESS;
}
