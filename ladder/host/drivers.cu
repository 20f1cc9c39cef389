// SPDX-License-Identifier: Apache-2.0
// Three ways to finish, beside each other: further passes, a second launch, the host.
//
//   passes         blocks of two elements a thread; launch again until one value is left
//   second launch  a grid that fills the device; one more block folds its partial sums
//   host           the same first launch; the partial sums are copied, and the host adds them
//
// Each is timed until the value is on the host, where all three end. The first two have it on the
// device before that, where a next kernel can use it. The numbers of launches and of bytes copied
// do not depend on the machine.
//
// The question: is it better to hand the partial results back to the CPU?
// "循环展开", notes on listing 3, whose author thinks that it is.
//
//   nvcc -O2 -arch=native drivers.cu -o drivers && ./drivers 67108864
#include <algorithm>
#include <chrono>
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

// One sum a block, for any n and any grid; a block has a power of two of threads, and shared memory
// for one int of each.
__global__ void sum_blocks(const int* in, size_t n, int* sums) {
  extern __shared__ int items[];
  const size_t threads = size_t(gridDim.x) * blockDim.x;
  int value = 0;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
    value += in[i];
  }
  items[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) items[threadIdx.x] += items[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = items[0];
}

const unsigned block = 256;
const size_t shared_bytes = block * sizeof(int);

struct buffers {
  const int* in;
  size_t n;
  int *partials, *sum;
  unsigned grid;  // of the launch that fills the device
};

// How a driver came to its value.
struct course {
  unsigned launches = 0;
  size_t copied_bytes = 0;
  int value = 0;
};

int copied(const int* from, course& so_far) {
  int value = 0;
  CHECK(cudaMemcpy(&value, from, sizeof(int), cudaMemcpyDeviceToHost));
  so_far.copied_bytes += sizeof(int);
  return value;
}

course by_passes(const buffers& b) {
  course c;
  const int* from = b.in;
  int* to = b.partials;
  size_t n = b.n;
  do {
    const size_t blocks = (n + 2 * block - 1) / (2 * block);
    sum_blocks<<<unsigned(blocks), block, shared_bytes>>>(from, n, to);
    CHECK(cudaGetLastError());
    ++c.launches;
    from = to;
    to += blocks;
    n = blocks;
  } while (n > 1);
  c.value = copied(from, c);
  return c;
}

course by_second_launch(const buffers& b) {
  course c;
  sum_blocks<<<b.grid, block, shared_bytes>>>(b.in, b.n, b.partials);
  sum_blocks<<<1, block, shared_bytes>>>(b.partials, b.grid, b.sum);
  CHECK(cudaGetLastError());
  c.launches = 2;
  c.value = copied(b.sum, c);
  return c;
}

course by_host(const buffers& b) {
  course c;
  sum_blocks<<<b.grid, block, shared_bytes>>>(b.in, b.n, b.partials);
  CHECK(cudaGetLastError());
  c.launches = 1;
  std::vector<int> parts(b.grid);
  CHECK(cudaMemcpy(parts.data(), b.partials, b.grid * sizeof(int), cudaMemcpyDeviceToHost));
  c.copied_bytes = b.grid * sizeof(int);
  for (const int part : parts) c.value += part;
  return c;
}

// Median time of a driver, and whether its value is right.
bool report(const char* name, course (*driver)(const buffers&), const buffers& b, int expected,
            unsigned rounds) {
  std::vector<double> us;
  course last;
  for (unsigned round = 0; round <= rounds; ++round) {
    CHECK(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    last = driver(b);
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    if (round != 0) us.push_back(taken.count());  // the first also loads the code
  }
  std::sort(us.begin(), us.end());
  std::printf("%-14s %u launches, %5zu bytes to the host, %10.1f us: %d\n", name, last.launches,
              last.copied_bytes, us[rounds / 2], last.value);
  return last.value == expected;
}

int main(int count, char** words) {
  const size_t n = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1 << 14;
  const unsigned rounds = count > 2 ? unsigned(std::atoi(words[2])) : 3;
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const unsigned full = 4 * unsigned(device.multiProcessorCount);
  const size_t needed = std::max<size_t>(1, (n + block - 1) / block);
  const unsigned grid = unsigned(std::min<size_t>(full, needed));
  std::printf("%s, %zu ints, %u blocks at most\n", device.name, n, grid);

  std::vector<int> values(n);
  int expected = 0;
  for (size_t i = 0; i < n; ++i) expected += values[i] = int(i % 5);
  int *in, *partials, *sum;
  CHECK(cudaMalloc(&in, std::max<size_t>(1, n) * sizeof(int)));
  CHECK(cudaMalloc(&partials, (needed + full) * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  const buffers b{in, n, partials, sum, grid};
  bool right = report("passes", by_passes, b, expected, rounds);
  right = report("second launch", by_second_launch, b, expected, rounds) && right;
  right = report("host", by_host, b, expected, rounds) && right;
  CHECK(cudaFree(in));
  CHECK(cudaFree(partials));
  CHECK(cudaFree(sum));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
